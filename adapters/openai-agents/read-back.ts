import { unwrap } from '../../src/service/unwrap.js';
import { HISTORY_LIMIT } from '../../src/session/limits.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { Conversations } from '../sdk/append-once.js';

export interface ReadEntries {
  readonly entries: readonly PositionedEntry[];
  readonly start: number;
  readonly end: number;
}

type Histories = Pick<Conversations, 'history'>;

type IsFirst = (entry: PositionedEntry) => boolean;

/** Undefined if the history changes between two parts. */
const readOnce = async (
  sessions: Histories,
  id: string,
  limit: number,
  isFirst: IsFirst,
): Promise<ReadEntries | undefined> => {
  const last = Math.min(Math.max(limit, 1), HISTORY_LIMIT);
  let part = await unwrap(sessions.history(id, { last }));
  const end = part.position;
  if (limit === 0) return { entries: [], start: end, end };
  const parts = [part.entries];
  for (
    let left = limit - part.entries.length;
    part.start > 0 && left > 0;
    left -= part.entries.length
  ) {
    if (part.entries.some(isFirst)) break;
    const slice = { before: part.start, limit: Math.min(left, HISTORY_LIMIT) };
    const next = await sessions.history(id, slice);
    // A session that has replaced this one may be shorter.
    if (next.isErr() && next.error.type === 'invalid_input') return undefined;
    part = unwrap(next);
    parts.unshift(part.entries);
  }
  const isOne = parts.length === 1 || (await readBack(sessions, id, 0)).end === end;
  return isOne ? { entries: parts.flat(), start: part.start, end } : undefined;
};

/**
 * Reads from the end back, until there are `limit` entries or `isFirst` is among them. Starts again
 * if the history changes between two parts, so that the result never mixes two histories.
 */
export const readBack = async (
  sessions: Histories,
  id: string,
  limit: number,
  isFirst: IsFirst = () => false,
): Promise<ReadEntries> => {
  for (;;) {
    const read = await readOnce(sessions, id, limit, isFirst);
    if (read !== undefined) return read;
  }
};

export const isOfUser = ({ role }: PositionedEntry): boolean => role === 'user';

/**
 * The latest entries, starting at a message of the user: the first within the limit, or else the
 * latest message of the user.
 */
export const readTurns = async (
  sessions: Histories,
  id: string,
  limit: number,
): Promise<ReadEntries> => {
  const read = await readBack(sessions, id, limit);
  const from = read.entries.findIndex(isOfUser);
  if (read.start === 0 || from === 0) return read;
  if (from > 0)
    return {
      ...read,
      entries: read.entries.slice(from),
      start: read.entries[from - 1]?.position ?? 0,
    };
  const whole = await readBack(sessions, id, Number.POSITIVE_INFINITY, isOfUser);
  const last = Math.max(0, whole.entries.findLastIndex(isOfUser));
  return {
    ...whole,
    entries: whole.entries.slice(last),
    start: whole.entries[last - 1]?.position ?? whole.start,
  };
};
