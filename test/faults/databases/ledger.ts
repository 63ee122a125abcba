/** A call on a session. Only an append has content. */
export interface Asked {
  /** The writer. It waits for one answer before its next call. */
  readonly by: string;
  readonly tenant: string;
  readonly id: string;
  readonly call: 'create' | 'start' | 'pause' | 'resume' | 'terminate' | 'delete' | 'append';
  readonly content?: string;
  /** By which an append can be repeated. */
  readonly operationId?: string | undefined;
}

/** What a writer was answered: `ok`, or the outcome of `store_unavailable`. */
export type Outcome = 'ok' | 'not_applied' | 'unknown';

export interface Answered {
  readonly by: string;
  readonly outcome: Outcome;
  /** How long the call took, in milliseconds. */
  readonly ms: number;
}

/** What one writer knows of a session from its answers. */
export interface Ledger {
  readonly by: string;
  readonly tenant: string;
  readonly id: string;
  readonly presence: 'never there' | 'there' | 'gone' | 'in doubt';
  /** What the status may be: more than one where a change is in doubt. */
  readonly statuses: readonly string[];
  /** Contents of acknowledged appends, in this order. */
  readonly acknowledged: readonly string[];
  /**
   * Contents of appends with an unknown outcome, and their operation ids. Each is there once or not
   * at all.
   */
  readonly doubtful: ReadonlyMap<string, string | undefined>;
}

const statusAfter = {
  start: 'ACTIVE',
  pause: 'PAUSED',
  resume: 'ACTIVE',
  terminate: 'TERMINATED',
} as const;

const blank = ({ by, tenant, id }: Asked): Ledger => ({
  ...{ by, tenant, id },
  ...{ presence: 'never there', statuses: ['IDLE'], acknowledged: [], doubtful: new Map() },
});

const withAppend = (
  ledger: Ledger,
  { content = '', operationId }: Asked,
  isCertain: boolean,
): Ledger => {
  const doubtful = new Map(ledger.doubtful);
  if (!isCertain) return { ...ledger, doubtful: doubtful.set(content, operationId) };
  doubtful.delete(content);
  return { ...ledger, doubtful, acknowledged: [...ledger.acknowledged, content] };
};

/** A ledger that only knows that a session exists. */
export const thereIs = (tenant: string, id: string): Ledger => ({
  ...{ by: 'nobody', tenant, id, presence: 'there' },
  ...{
    statuses: ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'],
    acknowledged: [],
    doubtful: new Map(),
  },
});

/** The ledger after an answer. */
const after = (ledger: Ledger, asked: Asked, outcome: Outcome): Ledger => {
  if (outcome === 'not_applied') return ledger;
  const isCertain = outcome === 'ok';
  switch (asked.call) {
    case 'create':
      return { ...ledger, presence: isCertain ? 'there' : 'in doubt' };
    case 'delete':
      return { ...ledger, presence: isCertain ? 'gone' : 'in doubt' };
    case 'append':
      return withAppend(ledger, asked, isCertain);
    default: {
      const status = statusAfter[asked.call];
      return {
        ...ledger,
        statuses: isCertain ? [status] : [...new Set([...ledger.statuses, status])],
      };
    }
  }
};

/**
 * The ledgers of all writers. What was asked and not answered, because the writer died, has an
 * unknown outcome.
 */
export class Book {
  readonly #ledgers = new Map<string, Ledger>();
  readonly #open = new Map<string, { readonly asked: Asked; readonly before: Ledger }>();
  readonly answers: Record<Outcome, number> = { ok: 0, not_applied: 0, unknown: 0 };
  longestMs = 0;

  note(said: Asked | Answered): void {
    if ('outcome' in said) this.#noteAnswer(said);
    else this.#noteAsked(said);
  }

  get ledgers(): readonly Ledger[] {
    return [...this.#ledgers.values()];
  }

  #noteAsked(asked: Asked): void {
    const before = this.#ledgers.get(this.#keyOf(asked)) ?? blank(asked);
    this.#open.set(asked.by, { asked, before });
    this.#ledgers.set(this.#keyOf(asked), after(before, asked, 'unknown'));
  }

  #noteAnswer({ by, outcome, ms }: Answered): void {
    const open = this.#open.get(by);
    if (open === undefined) throw new Error(`${by} was answered and had not asked`);
    this.#open.delete(by);
    this.#ledgers.set(this.#keyOf(open.asked), after(open.before, open.asked, outcome));
    this.answers[outcome] += 1;
    this.longestMs = Math.max(this.longestMs, ms);
  }

  #keyOf({ by, tenant, id }: Asked): string {
    return JSON.stringify([tenant, id, by]);
  }
}
