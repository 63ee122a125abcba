import { type Fields, isFields } from '../input/values.js';
import type { Appended } from '../service/history.js';
import type { HistoryEntry, SessionOptions, SessionState } from '../session/session.js';
import { isEndReason, isSessionStatus } from '../status.js';
import type { Reply } from './exchange.js';
import type { RemoteCreated, RemotePage, RemoteSession } from './remote.js';

/** A value of the wire, or nothing where it is another. */
type Reader<T> = (value: unknown) => T | undefined;

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

/** All or nothing. */
const readAll = <T>(values: unknown, read: Reader<T>): readonly T[] | undefined => {
  if (!Array.isArray(values)) return undefined;
  const found: T[] = [];
  for (const value of values) {
    const one = read(value);
    if (one === undefined) return undefined;
    found.push(one);
  }
  return found;
};

const readEntry: Reader<HistoryEntry> = (value) => {
  const { role, content, timestamp }: Fields = isFields(value) ? value : {};
  return isText(role) && isText(content) && isText(timestamp) ? { role, content, timestamp } : undefined;
};

const readOptions: Reader<SessionOptions> = (value) => {
  const { face, profile, context, behavior, time_limit: timeLimit }: Fields = isFields(value) ? value : {};
  const areTexts = isText(face) && isText(profile) && isText(context) && isText(behavior);
  return areTexts && typeof timeLimit === 'number' ? { face, profile, context, behavior, timeLimit } : undefined;
};

/** A Session object, `interface.md` part 2. */
export const readSession: Reader<RemoteSession> = (value) => {
  const { id, status, duration, created_at: createdAt, ...parts }: Fields = isFields(value) ? value : {};
  const options = readOptions(parts['options']);
  const history = readAll(parts['history'], readEntry);
  if (!isText(id) || !isSessionStatus(status) || !isWhole(duration) || !isText(createdAt)) return undefined;
  return options && history && { id, status, duration, options, history, createdAt };
};

export const readState: Reader<SessionState> = (value) => {
  const { id, status, duration, end_reason: endReason }: Fields = isFields(value) ? value : {};
  if (!isText(id) || !isSessionStatus(status) || !isWhole(duration)) return undefined;
  if (status !== 'TERMINATED') return { id, status, duration };
  return isEndReason(endReason) ? { id, status, duration, endReason } : undefined;
};

export const readCreated: Reader<RemoteCreated> = (value) => {
  const { session_id: id }: Fields = isFields(value) ? value : {};
  return isText(id) && id !== '' ? { id } : undefined;
};

export const readAppended: Reader<Appended> = (value) => {
  const { position }: Fields = isFields(value) ? value : {};
  return isWhole(position) ? { position } : undefined;
};

const wholeIn = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** Ids in percent-encoding, between commas. */
const readIds = (header: string | null): readonly string[] => {
  if (header === null || header === '') return [];
  try {
    return header.split(',').map((id) => decodeURIComponent(id.trim()));
  } catch {
    return [];
  }
};

/** A page: what its body, a bare array, has no place for stands in the headers. `page` is its number, if it has one. */
export const readPage = ({ headers, body }: Reply, page: number | undefined): RemotePage | undefined => {
  const sessions = readAll(body, readSession);
  const total = wholeIn(headers.get('x-total-count'));
  const limit = wholeIn(/[?&]limit=(\d+)/.exec(headers.get('link') ?? '')?.[1]);
  if (sessions === undefined || total === undefined || limit === undefined) return undefined;
  const next = headers.get('x-next-cursor');
  const unreadable = readIds(headers.get('x-unreadable-sessions'));
  return { sessions, total, limit, ...(page === undefined ? {} : { page }), ...(next && { next }), unreadable };
};
