import type { Spending } from '../session/budget.js';
import type { AppendDetail, ChangeDetail } from '../session/event-detail.js';
import type { HistoryEntry, MessageEntry, PositionedEntry } from '../session/session.js';
import type { DueKey, SessionKey } from '../session/session-key.js';
import type { SessionHead, StateRecord } from '../session/session-record.js';

/**
 * One step of one session: if all guards hold, all effects are made; otherwise none, and the first
 * guard that failed is the answer. Times are in milliseconds since the epoch.
 */
export interface Commit<K extends SessionKey, G, E> {
  /** The session, or with a `DueKey` what is left of one. */
  readonly key: K;
  /** The conditions, in the order in which they are checked. */
  readonly guards: G;
  /** What is written. */
  readonly effects: E;
}

/** A limit on the live sessions of a tenant: those that are ACTIVE or PAUSED. */
export interface LiveLimit {
  /** Maximum number, including the session of the commit. */
  readonly sessions: number;
  /** Sessions whose deadline has passed by this time do not count. */
  readonly now: number;
}

/**
 * An event of a commit. It takes the session's next sequence, from 1 on. The store adds to
 * `appended` the positions before the first and after the last entry.
 */
export type EventPart = ChangeDetail | AppendDetail;

/** Adds a session. Before the guards, there must be none with the key (`absent`). */
export type BeginCommit = Commit<
  SessionKey,
  {
    /** Another session of the tenant has this version of its history. */
    readonly source?: { readonly id: string; readonly version: string } | undefined;
    /** The tenant has fewer live sessions. */
    readonly live?: LiveLimit | undefined;
  },
  {
    /** Contains the id of the key. */
    readonly head: SessionHead;
    /** IDLE or ACTIVE. */
    readonly state: StateRecord;
    /** The first entries, oldest first. */
    readonly entries: readonly HistoryEntry[];
    /** At least one. */
    readonly events: readonly EventPart[];
  }
>;

/** Outcome of `begin`. */
export type Begun =
  | { readonly outcome: 'made' }
  | { readonly outcome: 'refused'; readonly guard: 'absent' | 'source' | 'live' };

/** A message to put into an inbox. */
export interface MessageToStore {
  /** What follows in the history when a turn takes the message. */
  readonly entry: MessageEntry;
  /** Of the content: 16 of the characters `A-Z a-z 0-9 _ -`. */
  readonly digest: string;
}

/**
 * What is added to the counters of a session (`spentState`), with a new revision. Its guard,
 * `counters`, comes after `fence`: each counter is in the budget of the state or free, and no sum
 * is above 2^53 - 1 (`wrongCounterIn`). Not together with `send`. A spend with an operation and
 * without entries has the id and the digest as `last`, with a colon between them, and an id of `A-Z
 * a-z 0-9 _ -` that no append has.
 */
export interface Spend extends Spending {
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  /** The new revision of the state. */
  readonly revision: number;
}

/**
 * The guards of a change. After `operation` comes `message`: no earlier message of the session,
 * even one that was withdrawn, had the id of `send`; one that also had the digest makes the outcome
 * `repeated`. Then there must be a session (`present`).
 */
export interface Guards {
  /**
   * No earlier change of the session had this id; one that also had the digest makes the outcome
   * `repeated`. Only with `entries`, `truncate` or `spend`.
   */
  readonly operation?:
    | {
        /** 1 to 256 characters, well-formed, without control characters. */
        readonly id: string;
        /** Of the content: 16 of the characters `A-Z a-z 0-9 _ -`. */
        readonly digest: string;
      }
    | undefined;
  /** The state has this revision. */
  readonly revision?: number | undefined;
  /** `lastActivityAt` is at most this. */
  readonly unusedSince?: number | undefined;
  /** The session is open at this time (`isOpen`). */
  readonly open?: number | undefined;
  /** The session is not open at this time. */
  readonly over?: number | undefined;
  /** The lease with this fencing token is current at this time (`isLeasedWith`). */
  readonly fence?: { readonly token: number; readonly now: number } | undefined;
  /** Maximum number of messages that wait before the change. */
  readonly inbox?: number | undefined;
  /** The history ends at this position. */
  readonly end?: number | undefined;
  /**
   * Maximum number of entries afterwards, with those that are taken. Checked after `position`
   * (`truncate` is no position of this history) and `superseded` (a rewind has taken it out).
   */
  readonly entries?: number | undefined;
  /** The tenant has fewer live sessions. */
  readonly live?: LiveLimit | undefined;
}

/** What a change does with the history, and its events. */
export interface HistoryEffects {
  /**
   * Takes the entries after this position out of the history, before `entries` follow. The history
   * has another version afterwards, unless nothing was taken out and `entries` follow.
   */
  readonly truncate?: number | undefined;
  /** Follow at the end of the history, oldest first, together. */
  readonly entries?: readonly HistoryEntry[] | undefined;
  /** Waits at the end of the inbox. */
  readonly send?: MessageToStore | undefined;
  /** None if nothing changes for a watcher, for example with a renewed lease. */
  readonly events: readonly EventPart[];
}

/** What a change does with the messages that wait. The new state says how many remain. */
export interface InboxEffects {
  /**
   * Moves the oldest messages, after `send`, to the end of the history, after `entries`: each with
   * the number of this turn.
   */
  readonly take?: { readonly messages: number; readonly turn: number } | undefined;
  /** Removes waiting messages with these ids, each once, except for their ids and digests. */
  readonly withdraw?: readonly string[] | undefined;
}

/** Replaces the state of a session. */
export type StateChange = Commit<
  DueKey,
  Guards & { readonly revision: number },
  HistoryEffects &
    InboxEffects & {
      /**
       * The new state, with its labels, its times in the queues (`dueAtOf`, `wakeAtOf`) and its
       * place in the lists; a later `lastActivityAt` stays. `previous` is the state with the
       * revision of the guard, in all but `lastActivityAt`.
       */
      readonly put: { readonly state: StateRecord; readonly previous: StateRecord };
    }
>;

/**
 * Changes the history, the activity, the inbox or the counters of a session, and keeps the rest.
 */
export type UseChange = Commit<
  SessionKey,
  Guards,
  HistoryEffects & {
    readonly put?: undefined;
    /** The latest activity, unless a later one is stored. Postpones an end by inactivity. */
    readonly activity?: number | undefined;
    /** What is added to the counters of the session. */
    readonly spend?: Spend | undefined;
    /**
     * The message makes the session wait for a worker from `at` on (`work.askedAt`), or from
     * earlier if a message does so already; a new revision.
     */
    readonly send?:
      | (MessageToStore & { readonly at: number; readonly revision: number })
      | undefined;
  }
>;

/**
 * Moves a session among those that are due. Without `revision`, `present` is not checked: damaged
 * and lost records move too.
 */
export type Move = Commit<
  DueKey,
  {
    /** The state has this revision. */
    readonly revision?: number | undefined;
    /** The session is due at this time. */
    readonly dueAt: number;
  },
  {
    readonly put?: undefined;
    /** When it is due then; `Infinity` for never. */
    readonly dueAt: number;
  }
>;

/**
 * Overwrites entries, even superseded ones, with entries of the same role and time without content,
 * `id` and `data`, so that the store no longer contains the data. Positions stay; sizes may. The
 * history has another version afterwards. A large redaction may be several steps: after `unknown`,
 * some entries may be overwritten.
 */
export type Redaction = Commit<
  SessionKey,
  Record<string, never>,
  {
    readonly put?: undefined;
    /** Positions of entries, each once. One that no entry can have is refused: `position`. */
    readonly redact: readonly number[];
    /** The time of the event, which is logged unless nothing was left to overwrite. */
    readonly at: number;
  }
>;

/** A change of a session. */
export type ChangeCommit = StateChange | UseChange | Move | Redaction;

/**
 * Whether a change is a `Move`.
 *
 * @example
 * ```ts
 * console.log(isMove({ key: { tenant: 'acme', id }, guards: { dueAt: 1000 }, effects: { dueAt: 2000 } })); // true
 * ```
 */
export const isMove = (commit: ChangeCommit): commit is Move => 'dueAt' in commit.effects;

/**
 * Whether a change is a `StateChange`.
 *
 * @example
 * ```ts
 * const commit = { key: { tenant: 'acme', id }, guards: {}, effects: { activity: Date.now(), events: [] } };
 * console.log(isStateChange(commit)); // false
 * ```
 */
export const isStateChange = (commit: ChangeCommit): commit is StateChange =>
  commit.effects.put !== undefined;

/**
 * Whether a change is a `Redaction`.
 *
 * @example
 * ```ts
 * console.log(isRedaction({ key: { tenant: 'acme', id }, guards: {}, effects: { redact: [7], at: Date.now() } })); // true
 * ```
 */
export const isRedaction = (commit: ChangeCommit): commit is Redaction =>
  'redact' in commit.effects;

/** Why a change was refused. */
export type Refusal = { readonly outcome: 'refused' } & (
  | {
      /** The first guard that failed. */
      readonly guard:
        | 'operation'
        | 'message'
        | 'present'
        | 'inbox'
        | 'position'
        | 'entries'
        | 'dueAt'
        | 'live';
    }
  | {
      /** The first guard that failed. */
      readonly guard: 'revision' | 'unusedSince' | 'open' | 'over' | 'fence' | 'counters';
      /** The stored state, to decide again without a read. */
      readonly state: StateRecord;
    }
  | {
      /** The first guard that failed. */
      readonly guard: 'end' | 'superseded';
      /** The position at the end of the history. */
      readonly position: number;
    }
  | {
      /** The store cannot keep a further rewind of this history. */
      readonly guard: 'rewinds';
      /** Number of rewinds that it keeps. */
      readonly rewinds: number;
    }
);

/** Outcome of `change`. */
export type Changed =
  | {
      /** Whether this commit made the change, or an earlier one with the same id. */
      readonly outcome: 'made' | 'repeated';
      /**
       * After `entries`, `truncate` or `take`, the end of the history, higher than every position
       * before; of a repeated operation, as it was after the first. Otherwise 0.
       */
      readonly position: number;
      /** The messages that were taken, in their order; only after `take`. */
      readonly messages?: readonly PositionedEntry[];
    }
  | Refusal;

/** What is left of a removed session until its end is reported. */
export interface Remains {
  /** See `DueKey.removal`. */
  readonly removal: string;
  /** A state with a `report`. */
  readonly state: StateRecord;
}

/** Removes a session from every index, even a damaged one and without free memory. */
export type RemoveCommit = Commit<
  DueKey,
  {
    /**
     * The state has this revision. 0, which no state has, removes only data without a state, which
     * a crash of the database can leave behind. Checked after `present`.
     */
    readonly revision?: number | undefined;
    /** `lastActivityAt` is at most this. */
    readonly unusedSince?: number | undefined;
  },
  {
    /**
     * Kept under the key with `removal`, in the same step. Only `due` returns this key, and only
     * `findState`, `change` and `remove` accept it; its changes have no events.
     */
    readonly remains?: Remains | undefined;
    /** None for what is left of a session. */
    readonly events: readonly EventPart[];
  }
>;

/** Outcome of `remove`. */
export type Removed =
  | { readonly outcome: 'made' }
  | { readonly outcome: 'refused'; readonly guard: 'present' | 'revision' | 'unusedSince' };
