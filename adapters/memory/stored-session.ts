import { nanoid } from 'nanoid';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import { dueAtOf } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/wake-at.js';
import type { DueKey, ReadSize, Remains, SessionKey } from '../../src/store/session-store.js';
import { bytesOf as bytesOfText } from '../shared/stored-json.js';
import { copyHead, frozenState } from './frozen-state.js';
import { HistoryLog } from './history-log.js';
import { jsonBytes } from './json-bytes.js';

/** Bytes of a session's JSON around the texts of its head and its history. */
const FRAME_BYTES = [
  '{"id":,"status":"TERMINATED","options":{"face":,"profile":,"context":,"behavior":,"time_limit":86400},"history":[],',
  '"created_at":,"duration":86400,"duration_ms":86400000,"started_at":"2026-01-31T12:00:00.000Z",',
  '"ended_at":"2026-01-31T12:00:00.000Z","updated_at":"2026-01-31T12:00:00.000Z",',
  '"revision":4503599627370496},',
].join('').length;

/** A session as the memory store keeps it. */
export interface StoredSession {
  readonly tenant: string;
  readonly head: SessionHead;
  /** Approximate bytes of the session's JSON without its labels, its metadata and its history. */
  readonly bytes: number;
  /** Distinguishes the session from others with the same id. */
  readonly incarnation: string;
  /** Number of the last change. */
  sequence: number;
  readonly log: HistoryLog;
  state: StateRecord;
  /** When a sweep must process the session. */
  dueAt: number;
  /** When a worker may claim the session. */
  wakeAt: number;
  /** Set if this is what is left of a removed session. */
  readonly removal: string | undefined;
  /** The status under which the session is listed. */
  listedAs: SessionStatus;
}

const bytesOfTexts = (texts: readonly string[]): number =>
  texts.reduce((bytes, text) => bytes + jsonBytes(text), 0);

const bytesOfHead = ({ id, options, createdAt }: SessionHead): number =>
  FRAME_BYTES + bytesOfTexts([id, ...Object.values(options).map(String), createdAt]);

const bytesOfLabels = ({ labels }: StateRecord): number =>
  labels === undefined ? 0 : bytesOfTexts(Object.entries(labels).flat());

const bytesOfMetadata = ({ metadata }: StateRecord): number =>
  metadata === undefined ? 0 : bytesOfText(JSON.stringify(metadata));

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
    bytes: bytesOfHead(head),
    incarnation,
    sequence: 0,
    log: new HistoryLog(incarnation),
    state: frozenState(state),
    dueAt: dueAtOf(state),
    wakeAt: wakeAtOf(state),
    removal: undefined,
    listedAs: state.status,
  };
};

/** What is left of a session after its removal. */
export const remainsOf = (session: StoredSession, { removal, state }: Remains): StoredSession => ({
  ...session,
  log: new HistoryLog(session.incarnation),
  state: frozenState(state),
  dueAt: dueAtOf(state),
  wakeAt: Number.POSITIVE_INFINITY,
  removal,
});

export const keyOf = ({ tenant, head }: StoredSession): SessionKey => ({ tenant, id: head.id });

export const dueKeyOf = (session: StoredSession): DueKey => {
  const key = keyOf(session);
  return session.removal === undefined ? key : { ...key, removal: session.removal };
};

const historyStart = ({ log }: StoredSession, { historyLimit = log.length }: ReadSize): number =>
  Math.max(0, log.length - historyLimit);

/** Approximate bytes of JSON of the part of a session to read. */
export const bytesOf = (session: StoredSession, size: ReadSize): number =>
  session.bytes +
  bytesOfLabels(session.state) +
  bytesOfMetadata(session.state) +
  session.log.bytes(historyStart(session, size));

export const recordOf = (session: StoredSession, size: ReadSize): SessionRecord => ({
  head: copyHead(session.head),
  state: session.state,
  history: session.log.slice(historyStart(session, size)),
  historyCount: session.log.length,
  sequence: session.sequence,
  historyVersion: session.log.version,
  historyPosition: session.log.positions.end,
});
