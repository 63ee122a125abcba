import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import { timestampOf } from '../../src/session/clock.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import { escapeName, unescapeName } from '../../src/store/escape-name.js';
import { NEVER } from '../../src/store/never.js';
import type { Admit, PageRange, RecordPage } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';
import { bytesToRead, loadSession, SIZE_COLUMNS } from './read-session.js';
import type { SqliteValue } from './sqlite-session-store-options.js';

/** A place in an index by creation: a time, and an escaped id. */
type Place = readonly [createdMs: number, id: string];

/** Behind every escaped id, whose characters are `\w . ~ - %`. */
const LAST_ID = '\x7f';
const BEGINNING: Place = [Number.MIN_SAFE_INTEGER, ''];
const END: Place = [Number.MAX_SAFE_INTEGER, LAST_ID];

/** Some sessions of a list, read in its order from one index: rows of `number`, `created_ms` and `id`. */
interface Part {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

const BETWEEN = '(created_ms, id) > (?, ?) AND (created_ms, id) < (?, ?)';

const ALL = `SELECT number, created_ms, id FROM colloquy_sessions WHERE tenant = ? AND ${BETWEEN}`;

const WITH_LABEL = `SELECT session AS number, created_ms, id FROM colloquy_labels
  WHERE tenant = ? AND name = ? AND value = ? AND ${BETWEEN}`;

const WITH_STATUS = `SELECT number, created_ms, id FROM colloquy_sessions
  WHERE tenant = ? AND status = ? AND (deadline > ? OR status = 'TERMINATED') AND ${BETWEEN}`;

/* Sessions whose end is not stored yet: a sweep keeps them few. */
const OVERDUE = `SELECT number, created_ms, id FROM colloquy_sessions INDEXED BY colloquy_sessions_by_tenant_due
  WHERE tenant = ? AND due_at < ${NEVER} AND due_at <= ? AND deadline <= ? AND status <> 'TERMINATED' AND ${BETWEEN}`;

const partsOf = (tenant: string, { label, status }: PageRange, lower: Place, upper: Place): readonly Part[] => {
  const owner = escapeName(tenant);
  const now = Math.min(status?.now ?? 0, NEVER - 1);
  const between = [...lower, ...upper];
  if (label !== undefined) {
    return [{ sql: WITH_LABEL, values: [owner, escapeName(label.name), escapeName(label.value), ...between] }];
  }
  if (status === undefined) return [{ sql: ALL, values: [owner, ...between] }];
  const stored = { sql: WITH_STATUS, values: [owner, status.status, now, ...between] };
  const overdue = { sql: OVERDUE, values: [owner, now, now, ...between] };
  return status.status === 'TERMINATED' ? [stored, overdue] : [stored];
};

const TOTAL = `SELECT coalesce(sum(sessions), 0) AS total FROM colloquy_totals WHERE tenant = ? AND name = ''`;
const TOTAL_OF = `SELECT coalesce(sum(sessions), 0) AS total FROM colloquy_totals
  WHERE tenant = ? AND name = ? AND value = ?`;
const OVERDUE_TOTAL = `SELECT count(*) AS total FROM colloquy_sessions INDEXED BY colloquy_sessions_by_tenant_due
  WHERE tenant = ? AND due_at < ${NEVER} AND due_at <= ? AND deadline <= ? AND status <> 'TERMINATED' AND (? = '' OR status = ?)`;

const totalIn = (connection: Connection, sql: string, ...values: readonly SqliteValue[]): number =>
  Number(connection.get(sql, ...values)?.['total'] ?? 0);

/** Totals are kept; those between two times are counted in the index. */
const totalOf = (connection: Connection, tenant: string, range: PageRange, lower: Place, upper: Place): number => {
  const { label, status } = range;
  const owner = escapeName(tenant);
  if (lower !== BEGINNING || upper !== END) {
    const totals = partsOf(tenant, range, lower, upper).map(({ sql, values }) =>
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

/** The rows of a page, and one more if there is one. */
const rowsOf = (connection: Connection, tenant: string, range: PageRange, lower: Place, upper: Place) => {
  const { offset, limit, order, after } = range;
  const isOldest = order === 'oldest';
  const cursor: Place | undefined = after && [Date.parse(after.createdAt), escapeName(after.id)];
  const from = cursor !== undefined && isOldest && isBefore(lower, cursor) ? cursor : lower;
  const to = cursor !== undefined && !isOldest && isBefore(cursor, upper) ? cursor : upper;
  const direction = isOldest ? 'ORDER BY created_ms, id' : 'ORDER BY created_ms DESC, id DESC';
  const parts = partsOf(tenant, range, from, to);
  const [first, ...more] = parts;
  if (first !== undefined && more.length === 0) {
    return connection.all(`${first.sql} ${direction} LIMIT ? OFFSET ?`, ...first.values, limit + 1, offset);
  }
  // Each part by itself in order, so that none is sorted or read further than the page.
  const each = parts.map(({ sql }) => `SELECT * FROM (${sql} ${direction} LIMIT ?)`).join(' UNION ALL ');
  const values = parts.flatMap((part) => [...part.values, offset + limit + 1]);
  return connection.all(`SELECT * FROM (${each}) ${direction} LIMIT ? OFFSET ?`, ...values, limit + 1, offset);
};

const SIZES = `SELECT ${SIZE_COLUMNS} FROM colloquy_sessions WHERE number = ?`;

const bytesOfRow = (connection: Connection, row: Fields, range: PageRange): number => {
  const sizes = connection.get(SIZES, Number(row['number']));
  return sizes === undefined ? 0 : bytesToRead(connection, sizes, range);
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
    const lower: Place = createdAfter === undefined ? BEGINNING : [Date.parse(createdAfter), LAST_ID];
    const upper: Place = createdBefore === undefined ? END : [Date.parse(createdBefore), ''];
    const total = totalOf(connection, tenant, range, lower, upper);
    const rows = rowsOf(connection, tenant, range, lower, upper);
    const page = rows.slice(0, limit);
    if (admit !== undefined && page.length > 0) {
      const bytes = page.reduce((sum, row) => sum + bytesOfRow(connection, row, range), 0);
      const refusal = admit(bytes, page.length);
      if (refusal !== undefined) return err(refusal);
    }
    const records: SessionRecord[] = [];
    const unreadable: string[] = [];
    for (const { number, id } of page) {
      const name = unescapeName(String(id));
      loadSession(connection, name, Number(number), range).match(
        (record) => records.push(record),
        () => unreadable.push(name),
      );
    }
    const last = rows.length > limit ? page.at(-1) : undefined;
    const next = last && { id: unescapeName(String(last['id'])), createdAt: timestampOf(Number(last['created_ms'])) };
    return ok({ records, total, unreadable, ...(next && { next }) });
  });
