import type {
  Counters,
  HistoryEntry,
  JsonObject,
  SessionLabels,
  SessionOptions,
  SessionOrigin,
} from './session.js';
import type { EndReason } from './session-status.js';

/** Why a lease was cancelled. */
export interface Cancellation {
  /** The reason of the caller, 1 to 256 characters, if there was one. */
  readonly reason?: string;
  /** Present once its holder has released it: a release that is repeated has succeeded. */
  readonly isReleased?: true;
}

/** The latest lease on a session. */
export interface LeaseRecord {
  /** 1 to 256 characters. */
  readonly holder: string;
  /**
   * Number of the lease, at least 1: higher than that of every earlier lease on the session, by a
   * random number.
   */
  readonly fencingToken: number;
  /** When it was taken, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** End of the lease, exclusive, in milliseconds since the epoch; 0 after a release. */
  readonly until: number;
  /** When it was released, in milliseconds since the epoch. Absent before that. */
  readonly releasedAt?: number;
  /** Digest of the entries and the usage that were stored with the release. Absent for none. */
  readonly releaseDigest?: string;
  /**
   * Of a claim: the maximum number of attempts. The session waits for a worker again at the end of
   * the lease, unless it is released before. Absent for a lease that is not a claim.
   */
  readonly maxAttempts?: number;
  /**
   * Present if `cancel` or a rewind has ended the lease. Until `until`, nobody else may have the
   * session, and a turn may store its last words.
   */
  readonly cancelled?: Cancellation;
}

/**
 * Settings that are stored with a session when it is created. They apply even if a process with
 * other settings changes or sweeps the session.
 */
export interface SessionTerms {
  /** Maximum milliseconds without a break in IDLE or in PAUSED; `Infinity` for no limit. */
  readonly idleTimeoutMs: number;
  /** Maximum milliseconds ACTIVE without activity (`lastActivityAt`); `Infinity` for no limit. */
  readonly inactivityTimeoutMs: number;
  /** Milliseconds that the session is kept after its end; `Infinity` for ever. */
  readonly retentionMs: number;
  /** Milliseconds after its end in which it accepts entries; 0 for none. */
  readonly graceMs: number;
}

/** A report of the end of a session that a sweep must still make. */
export interface PendingReport {
  /**
   * Distinguishes the end from that of every other session, and stays until it was reported. Also
   * the `removal` of what is left if the session is removed before.
   */
  readonly removal: string;
  /**
   * When it must be made, in milliseconds since the epoch: the end at first. A sweep that makes it
   * moves it by a minute, so that no other sweep makes it at the same time.
   */
  readonly dueAt: number;
  /** When the session was removed, in milliseconds since the epoch. Absent for a session. */
  readonly removedAt?: number;
}

/**
 * Who works on a session, and when it waits for a worker. Status commands and updates leave it as
 * it is.
 */
export interface WorkRecord {
  /** The latest lease. Absent if the session was never leased. */
  readonly lease?: LeaseRecord;
  /**
   * When the session was asked to wait for a worker, in milliseconds since the epoch, at least 0.
   * Absent if it was not. `wakeAtOf` returns when a worker may claim it.
   */
  readonly wakeAt?: number;
  /**
   * When the next attempt is due after one that has failed, in milliseconds since the epoch. Absent
   * if none is. Apart from `wakeAt`, so that a later wake is not lost.
   */
  readonly retryAt?: number;
  /** Number of claims since the work was last done. Absent for none. */
  readonly attempts?: number;
  /** Number of messages that wait in the inbox. Absent for none. */
  readonly inbox?: number;
  /**
   * Since when a message waits that no attempt has taken, in milliseconds since the epoch. Absent
   * if none does. Apart from `wakeAt` and `retryAt`: a message shortens no delay of an earlier
   * attempt that it came before.
   */
  readonly askedAt?: number;
  /**
   * The turn that has begun and is not done, in one attempt or several. Absent if there is none.
   */
  readonly turn?: TurnRecord;
  /** The highest number of a turn so far. Absent before the first. */
  readonly turns?: number;
  /** Why the latest attempt has failed. Absent if it has not. */
  readonly failure?: AttemptFailure;
}

export interface TurnRecord {
  /** From 1 on. */
  readonly number: number;
  /** A position before its first message. */
  readonly start: number;
  /** Present if a wake that was due is a reason for the turn. */
  readonly woken?: true;
  /**
   * Number of messages that its claims have taken since it began or was exhausted. Absent for none.
   */
  readonly messages?: number;
}

export interface AttemptFailure {
  /** The text of the error, at most 500 characters. Absent if its worker gave none. */
  readonly error?: string;
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  readonly attempt: number;
}

/** What a session has used, and may use, by counter. */
export interface BudgetRecord {
  /** Sums: whole numbers from 0 to 2^53 - 1. */
  readonly used: Counters;
  /** The sums that end the session. A counter without one only counts. */
  readonly limits: Counters;
  /** The latest spend with an operation id: the name and the digest, with a colon; '' for none. */
  readonly last: string;
  /**
   * When a sum has reached its limit, in milliseconds since the epoch. The session has ended then,
   * for every clock. Absent before.
   */
  readonly reachedAt?: number;
}

interface Phase {
  /**
   * Random, 1 to 2^52: differs for every stored state, including states of earlier sessions with
   * the same id and states that a failover lost. A store replaces a state only if it has the
   * expected revision.
   */
  readonly revision: number;
  /** When the session entered its status, in milliseconds since the epoch. */
  readonly since: number;
  /** When the session was started first, in milliseconds since the epoch; absent before. */
  readonly startedAt?: number;
  /**
   * When the session was last used by an append or a command, or when it expired, in
   * milliseconds since the epoch. Leases, wakes, and changes of labels and metadata don't count as
   * use. An append changes it without a new revision, unless it wakes. It never decreases.
   */
  readonly lastActivityAt: number;
  /** Milliseconds spent ACTIVE before `since`. */
  readonly activeMs: number;
  /** Maximum milliseconds ACTIVE; `Infinity` for no limit. */
  readonly limitMs: number;
  /**
   * When the session expires even if it is in use, in milliseconds since the epoch;
   * `Infinity` for never. With an inactivity timeout it may end earlier. After the end: when the
   * session is deleted.
   */
  readonly deadline: number;
  /**
   * The latest changes with an operation id, newest first, at most `REMEMBERED_OPERATIONS`: each as
   * `<command>:<operation id>` (`extend` as `extend-<seconds>`, `update` as `update-<digest>`). A
   * command contains no colon, an operation id may.
   */
  readonly operations: readonly string[];
  /** The settings that were stored when the session was created. */
  readonly terms: SessionTerms;
  /** Sorted by name: a store may compare them as text. Absent for a session without labels. */
  readonly labels?: SessionLabels;
  /** Data of the host, a JSON object. Absent for a session without any. */
  readonly metadata?: JsonObject;
  /** Absent if nothing was ever counted and nothing is limited. */
  readonly budget?: BudgetRecord;
  /** The leases and the work on the session; empty if it never had any. */
  readonly work: WorkRecord;
  /** Absent if no report of its end must be made. */
  readonly report?: PendingReport;
}

/** The state of a session that has ended. */
export type EndedState = Phase & { readonly status: 'TERMINATED'; readonly endReason: EndReason };

/** The mutable part of a session, replaced as a whole. */
export type StateRecord = (Phase & { readonly status: 'IDLE' | 'ACTIVE' | 'PAUSED' }) | EndedState;

/** Number of changes that a state keeps to recognise a repeated change. */
export const REMEMBERED_OPERATIONS = 32;

/** The options of a session without any of a caller, in the order in which they are stored. */
export const noOptions: SessionOptions = Object.freeze({
  face: '',
  profile: '',
  context: '',
  behavior: '',
  timeLimit: 0,
});

/** The part of a session that never changes. */
export interface SessionHead {
  /** The id of the session. */
  readonly id: string;
  /** The options that the session was created with. */
  readonly options: SessionOptions;
  /** Absent for a session that is no fork. */
  readonly origin?: SessionOrigin;
  /**
   * A digest of the input of a `create` with an idempotency key, to detect a different input with
   * the same key.
   */
  readonly digest?: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
}

/**
 * A session as a store keeps it. The record belongs to the caller: changing it changes nothing in
 * the store.
 */
export interface SessionRecord {
  /** The part that never changes. */
  readonly head: SessionHead;
  /** The part that changes. */
  readonly state: StateRecord;
  /** Oldest first; with `historyLimit` only the latest entries. */
  readonly history: readonly HistoryEntry[];
  /** Number of entries in the whole history. */
  readonly historyCount: number;
  /**
   * Number of the last change: 1 for the creation, and 1 more for each change of the status, the
   * time limit, the labels or the metadata, each append, each redaction, each lease that is taken
   * or released, and each wake.
   */
  readonly sequence: number;
  /** The `version` of the history, as `findEntries` returns it. */
  readonly historyVersion: string;
  /** The position at the end of the history; 0 if nothing was ever appended. */
  readonly historyPosition: number;
}
