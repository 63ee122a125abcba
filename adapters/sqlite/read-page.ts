import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import { timestampOf } from '../../src/session/clock.js';
import { escapeName } from '../../src/store/escape-name.js';
import { NEVER } from '../../src/store/never.js';
import type { Admit, PageRange, RecordPage } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';
import { idOf, loadSessions, mostEntries, ROW } from './read-session.js';
import type { SqliteValue } from './sqlite-session-store-options.js';

/** A place in an index by creation: a time, and an escaped id. */
type Place = readonly [createdMs: number, id: string];

/** Behind every escaped id, whose characters are `\w . ~ - %`. */
const LAST_ID = '\x7f';

/** The places around some sessions; undefined for the beginning and the end of the list. */
interface Bounds {
  readonly lower: Place | undefined;
  readonly upper: Place | undefined;
}

/** Some sessions of a list, read in its order from one index: rows of `number`, `created_ms` and `id`. */
interface Part {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

const ALL = 'SELECT number, created_ms, id FROM colloquy_sessions WHERE tenant = ?';

const WITH_LABEL = `SELECT session AS number, created_ms, id FROM colloquy_labels
  WHERE tenant = ? AND name = ? AND value = ?`;

const WITH_STATUS = `SELECT number, created_ms, id FROM colloquy_sessions
  WHERE tenant = ? AND status = ? AND (deadline > ? OR status = 'TERMINATED')`;

/* Sessions whose end is not stored yet: a sweep keeps them few. */
const OVERDUE_WHERE = `FROM colloquy_sessions INDEXED BY colloquy_sessions_by_tenant_due
  WHERE tenant = ? AND due_at < ${NEVER} AND due_at <= ? AND deadline <= ? AND status <> 'TERMINATED'`;
const OVERDUE = `SELECT number, created_ms, id ${OVERDUE_WHERE}`;

const partsOf = (tenant: string, { label, status }: PageRange, { lower, upper }: Bounds): readonly Part[] => {
  const owner = escapeName(tenant);
  const now = Math.min(status?.now ?? 0, NEVER - 1);
  // Without a bound no condition, which would be checked for each session that a page by number skips.
  const bounds = `${lower ? ' AND (created_ms, id) > (?, ?)' : ''}${upper ? ' AND (created_ms, id) < (?, ?)' : ''}`;
  const part = (sql: string, ...values: readonly SqliteValue[]): Part => ({
    sql: `${sql}${bounds}`,
    values: [owner, ...values, ...(lower ?? []), ...(upper ?? [])],
  });
  if (label !== undefined) return [part(WITH_LABEL, escapeName(label.name), escapeName(label.value))];
  if (status === undefined) return [part(ALL)];
  const stored = part(WITH_STATUS, status.status, now);
  return status.status === 'TERMINATED' ? [stored, part(OVERDUE, now, now)] : [stored];
};

const TOTAL = `SELECT coalesce(sum(sessions), 0) AS total FROM colloquy_totals WHERE tenant = ? AND name = ''`;
const TOTAL_OF = `SELECT coalesce(sum(sessions), 0) AS total FROM colloquy_totals
  WHERE tenant = ? AND name = ? AND value = ?`;
const OVERDUE_TOTAL = `SELECT count(*) AS total ${OVERDUE_WHERE} AND (? = '' OR status = ?)`;

const totalIn = (connection: Connection, sql: string, ...values: readonly SqliteValue[]): number =>
  Number(connection.get(sql, ...values)?.['total'] ?? 0);

/** Totals are kept; those between two times are counted in the index. */
const totalOf = (connection: Connection, tenant: string, range: PageRange, bounds: Bounds): number => {
  const { label, status } = range;
  const owner = escapeName(tenant);
  if (bounds.lower !== undefined || bounds.upper !== undefined) {
    const totals = partsOf(tenant, range, bounds).map(({ sql, values }) =>
      totalIn(connection, `SELECT count(*) AS total FROM (${sql})`, ...values),
    );
    return totals.reduce((sum, total) => sum + total, 0);
  }
  if (label !== undefined) {
    return totalIn(connection, TOTAL_OF, owner, escapeName(label.name), escapeName(label.value));
  }
  if (status === undefined) return totalIn(connection, TOTAL, owner);
  const stored = totalIn(connection, TOTAL_OF, owner, '', status.status);
  const isEnd = status.status === 'TERMINATED';
  const now = Math.min(status.now, NEVER - 1);
  const of = isEnd ? '' : status.status;
  const overdue = totalIn(connection, OVERDUE_TOTAL, owner, now, now, of, of);
  return isEnd ? stored + overdue : stored - overdue;
};

const isBefore = (place: Place, other: Place): boolean =>
  place[0] < other[0] || (place[0] === other[0] && place[1] < other[1]);

/** The bounds of the sessions behind the cursor. */
const behindCursor = ({ lower, upper }: Bounds, { after, order }: PageRange): Bounds => {
  if (after === undefined) return { lower, upper };
  const cursor: Place = [Date.parse(after.createdAt), escapeName(after.id)];
  if (order === 'oldest') return { lower: lower && isBefore(cursor, lower) ? lower : cursor, upper };
  return { lower, upper: upper && isBefore(upper, cursor) ? upper : cursor };
};

/** The rows of a page, and one more if there is one. */
const rowsOf = (connection: Connection, tenant: string, range: PageRange, bounds: Bounds): readonly Fields[] => {
  const { offset, limit, order } = range;
  const direction = order === 'oldest' ? 'ORDER BY created_ms, id' : 'ORDER BY created_ms DESC, id DESC';
  const parts = partsOf(tenant, range, behindCursor(bounds, range));
  const [first, ...more] = parts;
  // The rows come in the order of the places, because these are the outer loop of a CROSS JOIN.
  const read = (places: string, values: readonly SqliteValue[]) =>
    connection.all(
      `SELECT ${ROW} FROM (${places} ${direction} LIMIT ? OFFSET ?) AS place
        CROSS JOIN colloquy_sessions AS session USING (number)`,
      mostEntries(range),
      ...values,
      limit + 1,
      offset,
    );
  if (first !== undefined && more.length === 0) return read(first.sql, first.values);
  // Each part by itself in order, so that none is sorted or read further than the page.
  const each = parts.map(({ sql }) => `SELECT * FROM (${sql} ${direction} LIMIT ?)`).join(' UNION ALL ');
  const values = parts.flatMap((part) => [...part.values, offset + limit + 1]);
  return read(`SELECT * FROM (${each})`, values);
};

/**
 * Reads a page. A page by cursor costs the same anywhere; one by offset costs a step in the index for each session that it
 * skips.
 */
export const readPage = <E>(
  connection: Connection,
  tenant: string,
  range: PageRange,
  admit: Admit<E> | undefined,
): Result<RecordPage, StoreError | E> =>
  connection.read((): Result<RecordPage, StoreError | E> => {
    const { createdAfter, createdBefore, limit } = range;
    const bounds: Bounds = {
      lower: createdAfter === undefined ? undefined : [Date.parse(createdAfter), LAST_ID],
      upper: createdBefore === undefined ? undefined : [Date.parse(createdBefore), ''],
    };
    const total = totalOf(connection, tenant, range, bounds);
    const rows = rowsOf(connection, tenant, range, bounds);
    const page = rows.slice(0, limit);
    const loaded = loadSessions(connection, page, range, admit);
    if (loaded.isErr()) return err(loaded.error);
    const records = loaded.value.flatMap((session) => (session.isOk() ? [session.value] : []));
    const unreadable = loaded.value.flatMap((session) => (session.isErr() ? [session.error.id] : []));
    const last = rows.length > limit ? page.at(-1) : undefined;
    const next = last && { id: idOf(last), createdAt: timestampOf(Number(last['created_ms'])) };
    return ok({ records, total, unreadable, ...(next && { next }) });
  });
