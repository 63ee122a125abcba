import type { EndReason } from '../status.js';
import type { HistoryEntry, SessionOptions } from './session.js';

interface Phase {
  /** Counts the state changes since creation. A state is replaced only by who has read its revision. */
  readonly revision: number;
  /** When the session entered its status, in milliseconds since the epoch. */
  readonly since: number;
  /** Milliseconds spent ACTIVE before `since`. */
  readonly activeMs: number;
  /** Milliseconds that may be spent ACTIVE in all; `Infinity` for no limit. */
  readonly limitMs: number;
  /**
   * When the engine's clock ends the session, in milliseconds since the epoch; `Infinity` for never. Of a session that
   * has ended: when it is to be deleted.
   */
  readonly deadline: number;
  /** The last changes that callers gave a name, newest first, at most `REMEMBERED_OPERATIONS`. */
  readonly operations: readonly string[];
}

/** The mutable part of a session: what the state machine works on. Small, and replaced as a whole. */
export type StateRecord =
  | (Phase & { readonly status: 'IDLE' | 'ACTIVE' | 'PAUSED' })
  | (Phase & { readonly status: 'TERMINATED'; readonly endReason: EndReason });

/** How many named changes a state remembers, so as to recognise one that is asked for again. */
export const REMEMBERED_OPERATIONS = 32;

/** The part of a session that never changes. */
export interface SessionHead {
  readonly id: string;
  readonly options: SessionOptions;
  /** RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
}

/** All that a store keeps of a session. It is the reader's own: changing it changes nothing in the store. */
export interface SessionRecord {
  readonly head: SessionHead;
  readonly state: StateRecord;
  /** Oldest first; only the latest entries where the reader has asked for no more. */
  readonly history: readonly HistoryEntry[];
  /** How many entries the whole history has. */
  readonly historyCount: number;
  /** The number of the last change: 1 is the creation, and every change of the state and every append counts on by 1. */
  readonly sequence: number;
  /**
   * What no other session has, not even a later one of the same id: 1 to 64 of the characters `A-Z a-z 0-9 _ -`. The
   * event of a change has the id `<birth>.<sequence>`, so that a watcher can tell an event from the record alone. A store
   * that tells no events may leave it empty.
   */
  readonly birth: string;
}
