import { nanoid } from 'nanoid';
import { deepFreeze } from '../../src/session/json.js';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import { dueAtOf, endsAt } from '../../src/session/time-limits.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import type { DueKey, ReadSize, Remains, SessionKey } from '../../src/store/session-store.js';
import { bytesOf as bytesOfText } from '../stored/json.js';
import { HistoryLog } from './history-log.js';
import type { Inbox } from './inbox.js';

/** Approximate bytes of a session's JSON without its id, options, labels and history. */
const FRAME_BYTES = 270;

export interface StoredSession {
  readonly tenant: string;
  readonly head: SessionHead;
  /** Approximate bytes of the session's JSON without its labels, metadata and history. */
  readonly bytes: number;
  /** Distinguishes the session from earlier and later sessions with the same id. */
  readonly incarnation: string;
  sequence: number;
  readonly log: HistoryLog;
  inbox?: Inbox;
  state: StateRecord;
  /** When a sweep must process the session. */
  dueAt: number;
  /** When a worker may claim the session; `Infinity` also after a claim found it expired. */
  wakeAt: number;
  /** Since when the session is in the queue of workers although it has expired. */
  overAt: number;
  /** Set if this is what is left of a removed session. */
  readonly removal: string | undefined;
  listedAs: SessionStatus;
}

export type QueueTimes = Pick<StoredSession, 'dueAt' | 'wakeAt' | 'overAt'>;

export const claimableFrom = (
  { state, dueAt }: Pick<StoredSession, 'state' | 'dueAt'>,
  wakeAt: number,
): QueueTimes => ({
  dueAt,
  wakeAt,
  overAt: Math.max(wakeAt, endsAt(state)),
});

const bytesOfPart = (part: object | undefined): number =>
  part === undefined ? 0 : bytesOfText(JSON.stringify(part));

export const newSession = (
  tenant: string,
  head: SessionHead,
  state: StateRecord,
): StoredSession => {
  // Random, because event ids contain it: a count would reveal the activity of other tenants.
  const incarnation = nanoid(12);
  return {
    tenant,
    head: copyHead(head),
    bytes: FRAME_BYTES + head.id.length + bytesOfPart(head.options),
    incarnation,
    sequence: 0,
    log: new HistoryLog(incarnation),
    state: frozenState(state),
    ...claimableFrom({ state, dueAt: dueAtOf(state) }, wakeAtOf(state)),
    removal: undefined,
    listedAs: state.status,
  };
};

export const remainsOf = (session: StoredSession, { removal, state }: Remains): StoredSession => ({
  ...session,
  log: new HistoryLog(session.incarnation),
  state: frozenState(state),
  dueAt: dueAtOf(state),
  wakeAt: Number.POSITIVE_INFINITY,
  overAt: Number.POSITIVE_INFINITY,
  removal,
});

export const keyOf = ({ tenant, head }: StoredSession): SessionKey => ({ tenant, id: head.id });

export const dueKeyOf = (session: StoredSession): DueKey => {
  const key = keyOf(session);
  if (session.removal === undefined) return key;
  return { ...key, removal: session.removal };
};

const historyStart = ({ log }: StoredSession, { historyLimit = log.length }: ReadSize): number =>
  Math.max(0, log.length - historyLimit);

export const bytesOf = (session: StoredSession, size: ReadSize): number =>
  session.bytes +
  bytesOfPart(session.state.labels) +
  bytesOfPart(session.state.metadata) +
  session.log.bytes(historyStart(session, size));

export const recordOf = (session: StoredSession, size: ReadSize): SessionRecord => ({
  head: copyHead(session.head),
  state: session.state,
  history: session.log.slice(historyStart(session, size)),
  historyCount: session.log.length,
  sequence: session.sequence,
  historyVersion: session.log.version,
  historyPosition: session.log.end,
});

/* Copies and frozen objects, so that callers cannot change the store. */

const copyHead = (head: SessionHead): SessionHead => {
  const copy = { ...head, options: { ...head.options } };
  if (head.origin === undefined) return copy;
  return { ...copy, origin: { ...head.origin } };
};

/**
 * A deeply frozen state, which the store and its callers may share. The service freezes its states:
 * copying each would make a change take half as long again.
 */
export const frozenState = (state: StateRecord): StateRecord => {
  const { operations, terms, labels, metadata, budget, work, report } = state;
  const { lease, turn, failure } = work;
  const parts: readonly unknown[] = [
    ...[state, operations, terms, labels, metadata, report],
    ...[work, lease, turn, failure],
    ...[budget, budget?.used, budget?.limits],
  ];
  if (parts.every((part) => Object.isFrozen(part))) return state;
  return deepFreeze(structuredClone(state));
};
