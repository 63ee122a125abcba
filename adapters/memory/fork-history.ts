import { entriesUpToCurrent } from '../../src/session/history-positions.js';
import type { HistoryEntry, SessionOrigin } from '../../src/session/session.js';
import type { Inserted, Opening } from '../../src/store/session-store.js';
import type { HistoryLog } from './history-log.js';

/** The history that a fork begins with. */
interface Copy {
  readonly entries: readonly HistoryEntry[];
  readonly origin: SessionOrigin;
}

/** The history of a log up to a position, to copy into a fork, or why it cannot be copied. */
export const forkHistory = (
  log: HistoryLog | undefined,
  { id, position, maxBytes }: NonNullable<Opening['from']>,
): Copy | Extract<Inserted, string> => {
  if (log === undefined) return 'missing';
  const { positions } = log;
  const upTo = position ?? positions.end;
  const count = upTo > positions.end ? undefined : entriesUpToCurrent(positions, upTo);
  if (count === undefined) return 'invalid_position';
  if (log.bytes(0, count) > maxBytes) return 'too_large';
  return { entries: log.slice(0, count), origin: { id, position: upTo } };
};
