/** What a process notes. All processes of a test write into one file. */
interface Noted {
  /** The process, a number that no other process of the test has. */
  readonly who: number;
  readonly at: number;
}

/** A run has got a turn. */
export interface Begin extends Noted {
  readonly did: 'begin';
  readonly id: string;
  readonly run: string;
  readonly fencingToken: number;
  /** When the session was claimed. */
  readonly since: number;
  /** Until when the lease lasts, even if it is never renewed. */
  readonly until: number;
  /** The messages of the turn. */
  readonly names: readonly string[];
}

/** A run has taken more messages. */
export interface Given extends Noted {
  readonly did: 'given';
  readonly names: readonly string[];
}

/** A run gives its session back. */
export interface End extends Noted {
  readonly did: 'end';
  readonly id: string;
  readonly fencingToken: number;
}

/** A run returns its answer. */
export interface Ran extends Noted {
  readonly did: 'ran';
  readonly run: string;
}

/** The store has accepted the answer of a run. */
export interface Stored extends Noted {
  readonly did: 'stored';
  readonly run: string;
}

/** A message that its sender knows to be stored. */
export interface Sent extends Noted {
  readonly did: 'sent';
  readonly id: string;
  readonly name: string;
  /** When its sender sent it for the first time. */
  readonly begun: number;
}

/** A user calls an operation that may end a turn or withdraw messages. */
export interface Asks extends Noted {
  readonly did: 'asks';
  readonly call: string;
  readonly what: 'cancel' | 'rewind' | 'withdraw';
  readonly id: string;
  /** The message that may be withdrawn; none for all. */
  readonly name?: string;
}

/** The call has returned. */
export interface Heard extends Noted {
  readonly did: 'heard';
  readonly call: string;
  readonly withdrawn: readonly string[];
}

/** A process was killed, or has killed itself at one of its steps. */
export interface Died extends Noted {
  readonly did: 'died';
  readonly step: string;
}

export type Mark = Begin | Given | End | Ran | Stored | Sent | Asks | Heard | Died;

/** A mark without who made it and when. */
export type Unstamped<M> = M extends Mark ? Omit<M, 'who' | 'at'> : never;

export const marksThat = <D extends Mark['did']>(
  marks: readonly Mark[],
  did: D,
): readonly Extract<Mark, { readonly did: D }>[] =>
  marks.filter((mark): mark is Extract<Mark, { readonly did: D }> => mark.did === did);
