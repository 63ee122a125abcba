import { err, ok, type Result } from 'neverthrow';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { EntriesOutcome, HistorySlice } from '../../src/session/history-slice.js';
import { decodeEntries } from '../stored/json.js';
import { historyVersionOf, stateIn, unreadable } from './session-rows.js';

const givenIn = ({ after, before }: HistorySlice, end: number): number => after ?? before ?? end;

export const isPositionIn = (slice: HistorySlice, end: number): boolean => {
  const given = givenIn(slice, end);
  return Number.isSafeInteger(given) && given >= 0 && given <= end;
};

/**
 * The outcome of `findEntries` by a row with the state and the numbers of a session, and a part of
 * its history: `history` and `positions` are separated by commas, `read` is the number of entries.
 * `previous` is the position of the entry before the part, `newest` of the last entry of all.
 */
export const entriesIn = (
  id: string,
  slice: HistorySlice,
  row: Fields | undefined,
): Result<EntriesOutcome, CorruptRecord> => {
  if (row === undefined) return ok({ outcome: 'missing' });
  const state = stateIn(id, row);
  if (state.isErr()) return err(state.error);
  const end = Number(row['position']);
  if (!isPositionIn(slice, end)) return ok({ outcome: 'invalid_position' });
  const decoded = decodeEntries(row['history']);
  if (decoded?.length !== Number(row['read'])) return err(unreadable(id, 'history'));
  const positions = String(row['positions']).split(',').map(Number);
  // Not copied: on Node 20, that takes as long as parsing the entry.
  const entries = decoded.map((entry, at) =>
    Object.assign(entry, { position: positions[at] ?? 0 }),
  );
  const given = givenIn(slice, end);
  const last = slice.after === undefined ? given : (entries.at(-1)?.position ?? given);
  const hasMore = Number(row['newest']) > last;
  return ok({
    outcome: 'found',
    entries,
    start: slice.after ?? Number(row['previous']),
    position: hasMore || slice.after === undefined ? last : end,
    hasMore,
    isSuperseded: Boolean(row['is_superseded']),
    version: historyVersionOf(row),
  });
};
