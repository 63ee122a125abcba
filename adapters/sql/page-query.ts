import { timestampOf } from '../../src/session/clock.js';
import { labelsIn } from '../../src/store/page-range.js';
import type { ListCursor, PageRange, StatusAt } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import { joined, NOTHING, type Query } from './query.js';
import { isWaiting } from './queue-query.js';

/** The differences between the databases. */
export interface Dialect {
  /** Makes the database search overdue sessions in the index of a tenant's due sessions. */
  readonly byTenantDue: string;
  /**
   * Joins the session to each row of `label`, in a form that forces a lookup by number. Another
   * plan would be slow where the estimates of the database are wrong.
   */
  readonly joinSession: string;
  /**
   * What a page reads, at least `number`, `created_ms` and `id`. With a label, it reads only these.
   */
  readonly columns: string;
  /** An expression for the total, if the statement computes it. A page past it reads no rows. */
  readonly total?: string;
  /**
   * A further limit in the SQL of smaller pages. With only a parameter as the limit, PostgreSQL
   * expects a tenth of the rows and plans each call anew.
   */
  readonly expectedRows?: number;
}

type Position = readonly [createdMs: number, id: string];

/** Sorts after every escaped id, whose characters are `\w . ~ - %`. */
const LAST_ID = '\x7f';

/** Exclusive; undefined for the beginning and the end of the list. */
interface Bounds {
  readonly lower: Position | undefined;
  readonly upper: Position | undefined;
}

/* Sessions whose expiry is not stored yet: sweeps keep them few. */
const IS_OVERDUE = `${isWaiting('due_at')} AND deadline <= ? AND status <> 'TERMINATED'`;

const inOrder = (a: Position, b: Position): number => {
  if (a[0] !== b[0]) return a[0] - b[0];
  return a[1] < b[1] ? -1 : 1;
};

/**
 * Without a bound there is no condition, which a page by number would check for each skipped row.
 */
export const isWithin = ({ lower, upper }: Bounds, columns: string): Query => {
  const above = lower && { sql: ` AND (${columns}) > (?, ?)`, values: lower };
  const below = upper && { sql: ` AND (${columns}) < (?, ?)`, values: upper };
  return joined([above ?? NOTHING, below ?? NOTHING], '');
};

export const statusesIn = ({ anyOf }: StatusAt): Query => ({
  sql: anyOf.map(() => '?').join(', '),
  values: anyOf,
});

/** Parts of the list, each in the order of one index. */
export const partsOf = (
  { byTenantDue, columns }: Dialect,
  tenant: string,
  range: PageRange,
  bounds: Bounds,
): readonly Query[] => {
  const within = isWithin(bounds, 'created_ms, id');
  const part = (sql: string, ...values: Query['values']): Query => ({
    sql: `${sql}${within.sql}`,
    values: [escapeName(tenant), ...values, ...within.values],
  });
  const { status } = range;
  const [label] = labelsIn(range);
  if (label !== undefined) {
    const sql = `
      SELECT session AS number, created_ms, id
      FROM $labels
      WHERE tenant = ? AND name = ? AND value = ?`;
    return [part(sql, ...label.map(escapeName))];
  }
  const select = `
    SELECT ${columns}
    FROM $sessions`;
  if (status === undefined) return [part(`${select} WHERE tenant = ?`)];
  const now = Math.min(status.now, NEVER - 1);
  const ofStatus = `${select}
    WHERE tenant = ? AND status = ? AND (deadline > ? OR status = 'TERMINATED')`;
  const stored = status.anyOf.map((each) => part(ofStatus, each, now));
  if (!status.anyOf.includes('TERMINATED')) return stored;
  return [...stored, part(`${select} ${byTenantDue} WHERE tenant = ? AND ${IS_OVERDUE}`, now, now)];
};

export const boundsOf = (
  { createdAfter, createdBefore, order }: PageRange,
  cursor?: ListCursor,
): Bounds => {
  const lower: Position[] = [];
  const upper: Position[] = [];
  if (createdAfter !== undefined) lower.push([Date.parse(createdAfter), LAST_ID]);
  if (createdBefore !== undefined) upper.push([Date.parse(createdBefore), '']);
  if (cursor !== undefined) {
    const passed = order === 'oldest' ? lower : upper;
    passed.push([Date.parse(cursor.at), escapeName(cursor.id)]);
  }
  return { lower: lower.sort(inOrder).at(-1), upper: upper.sort(inOrder)[0] };
};

export const directionOf = ({ order }: Pick<PageRange, 'order'>): string =>
  order === 'oldest' ? 'ASC' : 'DESC';

export const orderOf = (range: PageRange): string =>
  `ORDER BY created_ms ${directionOf(range)}, id ${directionOf(range)}`;

/** Without it, a page by number past the end would skip every session of the list. */
const withinTotal = ({ total }: Dialect, { offset }: PageRange): Query => {
  if (total === undefined || offset === 0) return NOTHING;
  return { sql: ` AND ${total} > ?`, values: [offset] };
};

/** The sessions of a page, and the next session if there is one. */
export const rowsOfPage = (dialect: Dialect, tenant: string, range: PageRange): Query => {
  const { offset, limit } = range;
  const order = orderOf(range);
  const bounds = boundsOf(range, range.cursor);
  const within = withinTotal(dialect, range);
  const parts = partsOf(dialect, tenant, range, bounds).map(({ sql, values }) => ({
    sql: `${sql}${within.sql}`,
    values: [...values, ...within.values],
  }));
  const most = offset + limit + 1;
  const expected = most > (dialect.expectedRows ?? 0) ? '' : ` LIMIT ${dialect.expectedRows}`;
  const sorted = parts.map(({ sql, values }, at) => ({
    sql: `SELECT * FROM (${sql} ${order}${expected}) AS part_${at} ${order}`,
    values,
  }));
  const skipped = offset === 0 ? NOTHING : { sql: ' OFFSET ?', values: [offset] };
  const page = joined([{ sql: ' LIMIT ?', values: [limit + 1] }, skipped], '');
  const [first, ...more] = sorted;
  if (first !== undefined && more.length === 0) return joined([first, page], '');
  // A limit for each part, so that none is sorted, or read beyond the page.
  const limited = sorted.map(({ sql, values }, at) => ({
    sql: `SELECT * FROM (${sql} LIMIT ?) AS limited_${at}`,
    values: [...values, most],
  }));
  const { sql, values } = joined(limited, ' UNION ALL ');
  return joined([{ sql: `SELECT * FROM (${sql}) AS parts ${order}`, values }, page], '');
};

/** Totals are stored; only sessions between two times are counted. */
export const totalOfPage = (dialect: Dialect, tenant: string, range: PageRange): Query => {
  const { status, createdAfter, createdBefore } = range;
  const [label] = labelsIn(range);
  const tenantKey = escapeName(tenant);
  if (createdAfter !== undefined || createdBefore !== undefined) {
    const parts = partsOf(dialect, tenant, range, boundsOf(range));
    const counts = parts.map(({ sql, values }, at) => ({
      sql: `(SELECT count(*) FROM (${sql}) AS part_${at})`,
      values,
    }));
    return joined(counts, ' + ');
  }
  const kept = `
    SELECT coalesce(sum(sessions), 0)
    FROM $totals
    WHERE tenant = ? AND name = ?`;
  if (label !== undefined) {
    return { sql: `(${kept} AND value = ?)`, values: [tenantKey, ...label.map(escapeName)] };
  }
  if (status === undefined) return { sql: `(${kept})`, values: [tenantKey, ''] };
  const now = Math.min(status.now, NEVER - 1);
  const isWithEnds = status.anyOf.includes('TERMINATED');
  const [sign, condition] = isWithEnds ? ['+', 'NOT IN'] : ['-', 'IN'];
  const statuses = statusesIn(status);
  // Sessions whose expiry is not stored yet count as TERMINATED, not with their stored status.
  const overdue = `(
    SELECT count(*)
    FROM $sessions ${dialect.byTenantDue}
    WHERE tenant = ? AND ${IS_OVERDUE} AND status ${condition} (${statuses.sql})
  )`;
  return {
    sql: `(${kept} AND value IN (${statuses.sql})) ${sign} ${overdue}`,
    values: [tenantKey, '', ...statuses.values, tenantKey, now, now, ...statuses.values],
  };
};

/** `created_ms`: the time by which the list is ordered. */
export const positionOf = (row: Readonly<Record<string, unknown>>): ListCursor => ({
  id: unescapeName(String(row['id'])),
  at: timestampOf(Number(row['created_ms'])),
});
