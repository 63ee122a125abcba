import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { escapeName } from '../../src/store/escape-name.js';
import type { Admit, EntriesOutcome, HistorySlice, ReadSize, SessionKey } from '../../src/store/session-store.js';
import { decodeEntries } from '../../src/store/stored-json.js';
import type { Query } from '../sql/page-query.js';
import { numbered, stateIn, unreadable } from '../sql/session-rows.js';
import type { Answer, Call } from './call.js';
import { loadSessions, readAdmitted, type Source, sessionOf } from './load-sessions.js';

const sourceOf = (prefix: string, { tenant, id }: SessionKey): Source => ({
  sql: `SELECT * FROM ${prefix}sessions WHERE tenant = ? AND id = ?`,
  values: [escapeName(tenant), escapeName(id)],
  isWhole: true,
});

export const findSession = async <E>(
  call: Call,
  prefix: string,
  key: SessionKey,
  size: ReadSize,
  admit: Admit<E> | undefined,
): Answer<SessionRecord | undefined, StoreError | E> => {
  const read = (maxBytes: number) => call.query(loadSessions(prefix, sourceOf(prefix, key), size, maxBytes));
  const rows = await readAdmitted(read, admit);
  return rows.andThen(([row]) => (row === undefined ? ok(undefined) : sessionOf(row)));
};

export const findState = async (
  call: Call,
  prefix: string,
  { tenant, id }: SessionKey,
): Answer<StateRecord | undefined, StoreError> => {
  const sql = `SELECT state, last_activity FROM ${prefix}sessions WHERE tenant = ? AND id = ?`;
  const rows = await call.query({ sql, values: [escapeName(tenant), escapeName(id)] });
  return rows.andThen(([row]) => stateIn(id, row));
};

/* The entries of a slice: the first ones behind `start`, or the latest ones up to `stop`, whose bytes fit. */
const sliceOf = (prefix: string, { tenant, id }: SessionKey, slice: HistorySlice): Query => {
  const { after, before = Number.MAX_SAFE_INTEGER, limit, maxBytes = Number.MAX_SAFE_INTEGER } = slice;
  const bounds =
    after === undefined
      ? 'greatest(0, least(?::bigint, entries) - ?) AS start, least(?::bigint, entries) AS stop'
      : '?::bigint AS start, least(?::bigint + ?, entries) AS stop';
  const values = after === undefined ? [before, limit, before] : [after, after, limit];
  const fits =
    after === undefined
      ? 'entry.position = stop OR bytes_at_stop - entry.bytes + octet_length(entry.entry) + 1 <= ?'
      : 'entry.position = start + 1 OR entry.bytes - bytes_at_start <= ?';
  const bytesAt = (place: string) => `coalesce((SELECT entry.bytes FROM ${prefix}entries AS entry
    WHERE entry.session = number AND entry.position = ${place}), 0) AS bytes_at_${place}`;
  return {
    sql: `WITH bounded AS (
        SELECT number, state, last_activity, entries, ${bounds} FROM ${prefix}sessions WHERE tenant = ? AND id = ?
      ),
      found AS (SELECT *, ${bytesAt('start')}, ${bytesAt('stop')} FROM bounded)
    SELECT state, last_activity, entries, start, stop, slice.* FROM found, LATERAL (
      SELECT string_agg(entry.entry, ',' ORDER BY entry.position) AS history, count(*) AS read
      FROM ${prefix}entries AS entry
      WHERE entry.session = number AND entry.position > start AND entry.position <= stop AND (${fits})
    ) AS slice`,
    values: [...values, escapeName(tenant), escapeName(id), maxBytes],
  };
};

const outcomeOf = (row: Fields, slice: HistorySlice): EntriesOutcome | undefined => {
  const count = Number(row['entries']);
  const given = slice.after ?? slice.before ?? count;
  if (given > count) return { outcome: 'invalid_position' };
  const entries = decodeEntries(row['history']);
  if (entries === undefined || entries.length !== Number(row['read'])) return undefined;
  const isForward = slice.after !== undefined;
  const start = isForward ? given : Number(row['stop']) - entries.length;
  const position = start + entries.length;
  const isComplete = entries.length > 0 || Number(row['start']) >= Number(row['stop']);
  if (!isComplete) return undefined;
  return { outcome: 'found', entries: numbered(entries, start), start, position, hasMore: position < count };
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
