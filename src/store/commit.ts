import type { AppendDetail, ChangeDetail } from '../session/event-detail.js';
import type { HistoryEntry } from '../session/session.js';
import type { DueKey, SessionKey } from '../session/session-key.js';
import type { SessionHead, StateRecord } from '../session/session-record.js';

/** A limit on the live sessions of a tenant: those that are ACTIVE or PAUSED. */
export interface LiveLimit {
  /** Maximum number of live sessions, including the one that is changed. */
  readonly sessions: number;
  /**
   * The caller's time, in milliseconds since the epoch. A session whose deadline has passed by then
   * does not count.
   */
  readonly now: number;
}

/**
 * An event of a commit. The store adds the positions of its entries to `appended`: that before the
 * first and that after the last of them.
 */
export type EventPart = ChangeDetail | AppendDetail;

/** Adds a session, if there is none with the key. */
export interface BeginCommit {
  /** The new session. Its id is that of the head. */
  readonly key: SessionKey;
  /** Checked in this order, after that there is no session with the key (`absent`). */
  readonly guards: {
    /** Another session of the tenant has this version of its history, from `findEntries`. */
    readonly source?: { readonly id: string; readonly version: string } | undefined;
    /** The tenant has fewer live sessions. */
    readonly live?: LiveLimit | undefined;
  };
  /** What is stored. */
  readonly effects: {
    /** The part that never changes. */
    readonly head: SessionHead;
    /** The first state: IDLE, or ACTIVE if the creation also starts the session. */
    readonly state: StateRecord;
    /** The first entries of the history, oldest first. May be empty. */
    readonly entries: readonly HistoryEntry[];
    /** One for each change; each takes the next sequence, from 1 on. At least one. */
    readonly events: readonly EventPart[];
  };
}

/** Outcome of `begin`. If it was refused, nothing was written. */
export type Begun =
  | { readonly outcome: 'made' }
  /** The first guard that does not hold; `absent`: there is a session with the key. */
  | { readonly outcome: 'refused'; readonly guard: 'absent' | 'source' | 'live' };

/**
 * The conditions of a change, in the order in which they are checked. The first that does not hold
 * is the answer, and nothing is written. Between `operation` and `revision` stands `present`: there
 * must be a session with the key.
 */
export interface Guards {
  /**
   * No earlier change of this session had the operation id. One that had it with the same digest
   * makes the outcome `repeated`. Given only with `entries` or `truncate`.
   */
  readonly operation?:
    | {
        /** From the caller: 1 to 256 characters, well-formed, without control characters. */
        readonly id: string;
        /** A digest of the content: 16 of the characters `A-Z a-z 0-9 _ -`. */
        readonly digest: string;
      }
    | undefined;
  /** The state has this revision. */
  readonly revision?: number | undefined;
  /** The session was not used since: its `lastActivityAt` is at most this. */
  readonly unusedSince?: number | undefined;
  /** The session is open at this time (`isOpen`). */
  readonly open?: number | undefined;
  /** The opposite of `open`. */
  readonly over?: number | undefined;
  /** The lease with this fencing token is current at this time. */
  readonly fence?: { readonly token: number; readonly now: number } | undefined;
  /** The history ends at this position. */
  readonly end?: number | undefined;
  /**
   * Maximum number of entries in the history afterwards. Checked after `position` and `superseded`,
   * which say that `truncate` is no position of this history, or one that a rewind has taken out.
   */
  readonly entries?: number | undefined;
  /** The tenant has fewer live sessions. */
  readonly live?: LiveLimit | undefined;
}

/** What a change does with the history of its session. */
export interface HistoryEffects {
  /**
   * Takes the entries after this position of the current history out of it, before `entries` follow:
   * no read returns them any more. The history has another version afterwards, unless nothing was
   * taken out and `entries` follow.
   */
  readonly truncate?: number | undefined;
  /** Follow at the end of the history, oldest first, together and in this order. */
  readonly entries?: readonly HistoryEntry[] | undefined;
}

/** One event for each change of the session; each takes the next sequence. */
interface LoggedEffects {
  /** None if nothing changes for a watcher, such as with a renewed lease. */
  readonly events: readonly EventPart[];
}

/** Replaces the state of a session, or of what is left of one. */
export interface StateChange {
  /** The session, or what is left of one. */
  readonly key: DueKey;
  /** The conditions. */
  readonly guards: Guards & {
    /** That of `previous`. */
    readonly revision: number;
  };
  /** What is changed. */
  readonly effects: HistoryEffects &
    LoggedEffects & {
      /**
       * Replaces the state, with its labels, its times in the queues (`dueAtOf`, `wakeAtOf`) and
       * its place in the lists, except that a later `lastActivityAt` stays. `previous` is the state
       * with the revision of the guard, in all but `lastActivityAt`.
       */
      readonly put: { readonly state: StateRecord; readonly previous: StateRecord };
    };
}

/** Changes the history, the activity or the wake of a session, and leaves the rest as it is. */
export interface UseChange {
  /** The session. */
  readonly key: SessionKey;
  /** The conditions. */
  readonly guards: Guards;
  /** What is changed. */
  readonly effects: HistoryEffects &
    LoggedEffects & {
      readonly put?: undefined;
      /** The latest activity, unless a later one is stored. Postpones an end by inactivity. */
      readonly activity?: number | undefined;
      /**
       * Makes the session wait for a worker from `at` on, unless it does so earlier, and replaces
       * the revision of the state.
       */
      readonly wake?: { readonly at: number; readonly revision: number } | undefined;
    };
}

/**
 * Moves a session, or what is left of one, among those that are due. Without `revision`, it also
 * moves one whose record is damaged or lost: `present` is not checked.
 */
export interface Move {
  /** The session, or what is left of one. */
  readonly key: DueKey;
  /** Checked in this order. */
  readonly guards: {
    /** The state has this revision. Default: whatever the state. */
    readonly revision?: number | undefined;
    /** The session is due at this time, in milliseconds since the epoch. */
    readonly dueAt: number;
  };
  /** What is changed. */
  readonly effects: {
    readonly put?: undefined;
    /** When the session is due, in milliseconds since the epoch; `Infinity` for never. */
    readonly dueAt: number;
  };
}

/**
 * Overwrites the entries at these positions with entries of the same role and time but without
 * content, `id` and `data`, even superseded ones, so that the store no longer contains the data.
 * Their positions stay; sizes may count them as before. The history has another version afterwards.
 * A large redaction may be several changes; if it then fails with `unknown`, some of the entries may
 * be overwritten.
 */
export interface Redaction {
  /** The session. */
  readonly key: SessionKey;
  /** None but `present` and `position`. */
  readonly guards: Record<string, never>;
  /** What is overwritten. */
  readonly effects: {
    readonly put?: undefined;
    /** Each once. One after the end, or that cannot be that of an entry, is refused: `position`. */
    readonly redact: readonly number[];
    /** The time of the change, which is logged unless nothing was left to overwrite. */
    readonly at: number;
  };
}

/** One step of one session: if all guards hold, all effects are made; otherwise none. */
export type ChangeCommit = StateChange | UseChange | Move | Redaction;

/**
 * Whether a change is a move among those that are due.
 *
 * @example
 * ```ts
 * console.log(isMove({ key: { tenant: 'acme', id }, guards: { dueAt: 1000 }, effects: { dueAt: 2000 } })); // true
 * ```
 */
export const isMove = (commit: ChangeCommit): commit is Move => 'dueAt' in commit.effects;

/**
 * Whether a change replaces the state.
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
 * Whether a change is a redaction.
 *
 * @example
 * ```ts
 * console.log(isRedaction({ key: { tenant: 'acme', id }, guards: {}, effects: { redact: [7], at: Date.now() } })); // true
 * ```
 */
export const isRedaction = (commit: ChangeCommit): commit is Redaction =>
  'redact' in commit.effects;

/** Why a change was refused. Nothing was written. */
export type Refusal = { readonly outcome: 'refused' } & (
  | {
      /** The first guard that does not hold. */
      readonly guard: 'revision' | 'unusedSince' | 'open' | 'over' | 'fence';
      /** The state that it does not hold for, to decide again without a read. */
      readonly state: StateRecord;
    }
  | {
      /** The first guard that does not hold. */
      readonly guard: 'end' | 'superseded';
      /** The position at the end of the history. */
      readonly position: number;
    }
  | {
      /** The history has been cut by as many rewinds as the store can keep. */
      readonly guard: 'rewinds';
      /** How many that are. */
      readonly rewinds: number;
    }
  | {
      /** The first guard that does not hold. */
      readonly guard: 'operation' | 'present' | 'position' | 'entries' | 'dueAt' | 'live';
    }
);

/** Outcome of `change`. */
export type Changed =
  /**
   * `position`: for `entries` and `truncate`, that at the end of the history, opaque and higher than
   * all before it; of a repeated change, as it was after the first one. 0 for all other effects.
   */
  { readonly outcome: 'made' | 'repeated'; readonly position: number } | Refusal;

/** What is left of a removed session until its end is reported. */
export interface Remains {
  /** See `DueKey.removal`. */
  readonly removal: string;
  /** A state with a `report`. */
  readonly state: StateRecord;
}

/**
 * Removes a session completely, from every index, or what is left of one (`DueKey.removal`). Works
 * on damaged records and without free memory.
 */
export interface RemoveCommit {
  /** The session, or what is left of one. */
  readonly key: DueKey;
  /** Checked in this order, after that there is a session with the key (`present`). */
  readonly guards: {
    /**
     * The state has this revision. 0, which no state has, removes only data without a state, which
     * a crash of the database can leave behind.
     */
    readonly revision?: number | undefined;
    /** As in `Guards`. */
    readonly unusedSince?: number | undefined;
  };
  /** What follows. */
  readonly effects: {
    /**
     * Kept under the key with `removal`, in the same step. Only `due` returns it, and only
     * `findState`, `change` and `remove` take its key; its changes have no events. A new
     * session may have the same id.
     */
    readonly remains?: Remains | undefined;
    /** None for what is left of a session. */
    readonly events: readonly EventPart[];
  };
}

/** Outcome of `remove`. */
export type Removed =
  | { readonly outcome: 'made' }
  | { readonly outcome: 'refused'; readonly guard: 'present' | 'revision' | 'unusedSince' };
