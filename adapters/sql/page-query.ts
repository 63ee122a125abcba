import { timestampOf } from '../../src/session/clock.js';
import type { ListCursor, PageRange, StatusAt } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { labelsIn } from '../shared/session-search.js';
import { joined, type Query } from './query.js';
import { isWaiting } from './queue-query.js';

/** The differences between the databases. */
export interface Dialect {
  /**
   * The prefix of the names of the tables: `<prefix>sessions`, `<prefix>labels`, `<prefix>totals`.
   */
  readonly prefix: string;
  /**
   * Follows the name of the table of sessions, to make the database search overdue ones in the
   * index of a tenant's due sessions.
   */
  readonly byTenantDue: string;
  /**
   * The columns of the sessions that a page reads: at least `number`, `created_ms` and `id`. With a
   * label, it reads only these.
   */
  readonly columns: string;
  /**
   * An expression for the total, if the statement of the page computes it, so that a page past the
   * end reads no rows.
   */
  readonly total?: string;
}

/** A position in an index by creation: a time, and an escaped id. */
type Position = readonly [createdMs: number, id: string];

/** Sorts after every escaped id, whose characters are `\w . ~ - %`. */
const LAST_ID = '\x7f';

/** The positions around some sessions; undefined for the beginning and the end of the list. */
interface Bounds {
  readonly lower: Position | undefined;
  readonly upper: Position | undefined;
}

/* Sessions whose end is not stored yet: a sweep keeps them few. */
const IS_OVERDUE = `${isWaiting('due_at')} AND deadline <= ? AND status <> 'TERMINATED'`;

const isBefore = (position: Position, other: Position): boolean =>
  position[0] < other[0] || (position[0] === other[0] && position[1] < other[1]);

/**
 * No condition without a bound: it would be checked for each session that a page by number skips.
 */
export const isWithin = ({ lower, upper }: Bounds, columns: string): Query => ({
  sql: `${lower ? ` AND (${columns}) > (?, ?)` : ''}${upper ? ` AND (${columns}) < (?, ?)` : ''}`,
  values: [...(lower ?? []), ...(upper ?? [])],
});

/** The statuses of a range as values, and their place in a statement. */
export const statusesIn = ({ anyOf }: StatusAt): Query => ({
  sql: anyOf.map(() => '?').join(', '),
  values: anyOf,
});

/** Each part of the list is read in its order from one index, with the columns of the dialect. */
export const partsOf = (
  { prefix, byTenantDue, columns }: Dialect,
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
      FROM ${prefix}labels
      WHERE tenant = ? AND name = ? AND value = ?`;
    return [part(sql, ...label.map(escapeName))];
  }
  const select = `
    SELECT ${columns}
    FROM ${prefix}sessions`;
  if (status === undefined) return [part(`${select} WHERE tenant = ?`)];
  const now = Math.min(status.now, NEVER - 1);
  const ofStatus = `${select}
    WHERE tenant = ? AND status = ? AND (deadline > ? OR status = 'TERMINATED')`;
  const stored = status.anyOf.map((each) => part(ofStatus, each, now));
  if (!status.anyOf.includes('TERMINATED')) return stored;
  return [...stored, part(`${select} ${byTenantDue} WHERE tenant = ? AND ${IS_OVERDUE}`, now, now)];
};

export const boundsOf = ({ createdAfter, createdBefore }: PageRange): Bounds => ({
  lower: createdAfter === undefined ? undefined : [Date.parse(createdAfter), LAST_ID],
  upper: createdBefore === undefined ? undefined : [Date.parse(createdBefore), ''],
});

/** The part of the bounds after the cursor of a page. */
const boundsOfPage = (range: PageRange): Bounds => {
  const { lower, upper } = boundsOf(range);
  if (range.cursor === undefined) return { lower, upper };
  const cursor: Position = [Date.parse(range.cursor.at), escapeName(range.cursor.id)];
  if (range.order === 'oldest')
    return { lower: lower && isBefore(cursor, lower) ? lower : cursor, upper };
  return { lower, upper: upper && isBefore(upper, cursor) ? upper : cursor };
};

export const directionOf = ({ order }: PageRange): string =>
  order === 'oldest' ? 'ORDER BY created_ms, id' : 'ORDER BY created_ms DESC, id DESC';

/**
 * A condition that is false on a page by number past the end, which would otherwise skip every
 * session of the list.
 */
const withinTotal = ({ total }: Dialect, { offset }: PageRange): Query =>
  total === undefined || offset === 0
    ? { sql: '', values: [] }
    : { sql: ` AND ${total} > ?`, values: [offset] };

/**
 * Reads `number`, `created_ms` and `id` of the sessions of a page, and of the next session if there
 * is one.
 */
export const rowsOfPage = (dialect: Dialect, tenant: string, range: PageRange): Query => {
  const { offset, limit } = range;
  const direction = directionOf(range);
  const within = withinTotal(dialect, range);
  const parts = partsOf(dialect, tenant, range, boundsOfPage(range)).map(({ sql, values }) => ({
    sql: `${sql}${within.sql}`,
    values: [...values, ...within.values],
  }));
  const [first, ...more] = parts;
  if (first !== undefined && more.length === 0) {
    return {
      sql: `${first.sql} ${direction} LIMIT ? OFFSET ?`,
      values: [...first.values, limit + 1, offset],
    };
  }
  // Each part is ordered and limited separately, so that none is sorted or read beyond the page.
  const limited = parts.map(({ sql, values }, at) => ({
    sql: `SELECT * FROM (${sql} ${direction} LIMIT ?) AS part_${at}`,
    values: [...values, offset + limit + 1],
  }));
  const all = joined(limited, ' UNION ALL ');
  const sql = `
    SELECT *
    FROM (${all.sql}) AS parts
    ${direction}
    LIMIT ? OFFSET ?`;
  return { sql, values: [...all.values, limit + 1, offset] };
};

/**
 * An expression for the number of sessions in a range. Totals are stored; sessions between two
 * times are counted.
 */
export const totalOfPage = (dialect: Dialect, tenant: string, range: PageRange): Query => {
  const { status, createdAfter, createdBefore } = range;
  const [label] = labelsIn(range);
  const { prefix, byTenantDue } = dialect;
  const owner = escapeName(tenant);
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
    FROM ${prefix}totals
    WHERE tenant = ? AND name = ?`;
  if (label !== undefined) {
    return { sql: `(${kept} AND value = ?)`, values: [owner, ...label.map(escapeName)] };
  }
  if (status === undefined) return { sql: `(${kept})`, values: [owner, ''] };
  const now = Math.min(status.now, NEVER - 1);
  const isWithEnds = status.anyOf.includes('TERMINATED');
  const statuses = statusesIn(status);
  // Those whose end is not stored yet count as TERMINATED, and no longer as what they are stored
  // as.
  const overdue = `(
    SELECT count(*)
    FROM ${prefix}sessions ${byTenantDue}
    WHERE tenant = ? AND ${IS_OVERDUE} AND status ${isWithEnds ? 'NOT IN' : 'IN'} (${statuses.sql})
  )`;
  return {
    sql: `(${kept} AND value IN (${statuses.sql})) ${isWithEnds ? '+' : '-'} ${overdue}`,
    values: [owner, '', ...statuses.values, owner, now, now, ...statuses.values],
  };
};

/** The position of a row with an `id`, and the time of its order as `created_ms`. */
export const positionOf = (row: Readonly<Record<string, unknown>>): ListCursor => ({
  id: unescapeName(String(row['id'])),
  at: timestampOf(Number(row['created_ms'])),
});
