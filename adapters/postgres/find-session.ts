import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError, TooLarge } from '../../src/session/errors.js';
import { partBetween } from '../../src/session/history-positions.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { DueKey, EntriesOutcome, HistorySlice, ReadSize, SessionKey } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { decodeEntries } from '../shared/stored-json.js';
import { storedKeyOf } from '../sql/due-query.js';
import type { Query } from '../sql/page-query.js';
import { checkedSize, historyVersion, stateIn, unreadable, withPositions } from '../sql/session-rows.js';
import type { Answer, Call } from './call.js';
import { loadSessions, type Source, sessionOf } from './load-sessions.js';

const sourceOf = (prefix: string, { tenant, id }: SessionKey): Source => ({
  sql: `SELECT * FROM ${prefix}sessions WHERE tenant = ? AND id = ?`,
  values: [escapeName(tenant), escapeName(id)],
  isWhole: true,
});

export const findSession = async (
  call: Call,
  prefix: string,
  key: SessionKey,
  size: ReadSize,
): Answer<SessionRecord | undefined, StoreError | TooLarge> => {
  const rows = await call.query(loadSessions(prefix, sourceOf(prefix, key), size));
  const loaded = rows.andThen((found) => checkedSize(found, size));
  return loaded.andThen(([row]) => (row === undefined ? ok(undefined) : sessionOf(row)));
};

export const findState = async (
  call: Call,
  prefix: string,
  key: DueKey,
): Answer<StateRecord | undefined, StoreError> => {
  const sql = `SELECT state, last_activity FROM ${prefix}sessions WHERE tenant = ? AND id = ?`;
  const { tenant, id } = storedKeyOf(key);
  const rows = await call.query({ sql, values: [tenant, id] });
  return rows.andThen(([row]) => stateIn(key.id, row));
};

/* The entries of a slice: the first ones after `start`, or the latest ones up to `stop`, whose bytes fit. */
const sliceOf = (prefix: string, { tenant, id }: SessionKey, slice: HistorySlice): Query => {
  const { after, before = Number.MAX_SAFE_INTEGER, limit, maxBytes = Number.MAX_SAFE_INTEGER } = slice;
  const bounds =
    after === undefined
      ? 'greatest(0, given - ?) AS start, given AS stop'
      : 'given AS start, least(given + ?, entries) AS stop';
  const fits =
    after === undefined
      ? 'entry.entry_number = stop OR bytes_at_stop - entry.bytes + octet_length(entry.entry) + 1 <= ?'
      : 'entry.entry_number = start + 1 OR entry.bytes - bytes_at_start <= ?';
  const at = (column: string, number: string) =>
    `(SELECT entry.${column} FROM ${prefix}entries AS entry WHERE entry.session = number AND entry.entry_number = ${number})`;
  const bytesAt = (number: string) => `coalesce(${at('bytes', number)}, 0) AS bytes_at_${number}`;
  return {
    sql: `WITH asked AS (
        SELECT number, incarnation, state, last_activity, redactions, entries, position, least(?::bigint, position) AS given_position
        FROM ${prefix}sessions WHERE tenant = ? AND id = ?
      ),
      counted AS MATERIALIZED (
        SELECT *, CASE WHEN position = entries THEN given_position
          ELSE ${prefix}entries_up_to(number, entries, position, given_position) END AS given FROM asked
      ),
      bounded AS (SELECT *, ${bounds} FROM counted),
      found AS (SELECT *, ${bytesAt('start')}, ${bytesAt('stop')} FROM bounded)
    SELECT incarnation, state, last_activity, redactions, entries, position, start, stop, slice.*,
      NOT ${prefix}is_current(number, entries, position, given_position, given) AS is_superseded,
      CASE WHEN position = entries THEN stop - read ELSE ${at('position', 'stop - read')} END AS before_first
    FROM found, LATERAL (
      SELECT string_agg(entry.entry, ',' ORDER BY entry.entry_number) AS history,
        string_agg(entry.position::text, ',' ORDER BY entry.entry_number) AS positions, count(*) AS read
      FROM ${prefix}entries AS entry
      WHERE entry.session = number AND entry.entry_number > start AND entry.entry_number <= stop AND (${fits})
    ) AS slice`,
    values: [after ?? before, escapeName(tenant), escapeName(id), limit, maxBytes],
  };
};

const outcomeOf = (row: Fields, slice: HistorySlice): EntriesOutcome | undefined => {
  const [count, end] = [Number(row['entries']), Number(row['position'])];
  const given = slice.after ?? slice.before ?? end;
  if (given > end) return { outcome: 'invalid_position' };
  const found = decodeEntries(row['history']);
  if (found === undefined || found.length !== Number(row['read'])) return undefined;
  const [start, stop] = [Number(row['start']), Number(row['stop'])];
  if (found.length === 0 && start < stop) return undefined;
  const from = slice.after === undefined ? stop - found.length : start;
  const entries = withPositions(found, row['positions']);
  const positionOf = (number: number) => entries[number - from - 1]?.position ?? Number(row['before_first']);
  const positions = { entries: count, end, positionOf };
  const part = partBetween(positions, slice, from, from + found.length);
  const isSuperseded = row['is_superseded'] === true;
  return { outcome: 'found', entries, ...part, isSuperseded, version: historyVersion(row) };
};

export const findEntries = async (
  call: Call,
  prefix: string,
  key: SessionKey,
  slice: HistorySlice,
): Answer<EntriesOutcome, StoreError> => {
  const given = slice.after ?? slice.before ?? 0;
  const isPosition = Number.isSafeInteger(given) && given >= 0;
  const asked: HistorySlice = isPosition ? slice : { limit: 1, after: 0 };
  const rows = await call.query(sliceOf(prefix, key, asked));
  return rows.andThen(([row]): Result<EntriesOutcome, StoreError> => {
    if (row === undefined) return ok({ outcome: 'missing' });
    const state = stateIn(key.id, row);
    if (state.isErr()) return err(state.error);
    if (!isPosition) return ok({ outcome: 'invalid_position' });
    const outcome = outcomeOf(row, slice);
    return outcome === undefined ? err(unreadable(key.id, 'history')) : ok(outcome);
  });
};
