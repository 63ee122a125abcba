import { err, ok, type Result } from 'neverthrow';
import { type SearchTooLarge, searchTooLarge } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { SEARCH_LIMIT } from '../../src/session/limits.js';
import { labelsIn } from '../../src/store/page-range.js';
import type { PageRange } from '../../src/store/session-store.js';
import { escapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import { boundsOf, type Dialect, isWithin, orderOf, partsOf, statusesIn } from './page-query.js';
import { joined, NOTHING, type Query } from './query.js';

/*
 * A page of the sessions with several labels, with a label and a status, or in the order of their
 * last update. No index has this order, so the query examines all sessions between the two times
 * that have the rarest label, or without labels the status.
 */

type Label = readonly [name: string, value: string];

type Tables = Pick<Dialect, 'byTenantDue' | 'joinSession'>;

const labelled = (tenant: string, [name, value]: Label, range: PageRange, join = ''): Query => {
  const bounds = boundsOf(range);
  const within = isWithin(bounds, 'label.created_ms, label.id');
  return {
    sql: `$labels AS label ${join}
      WHERE label.tenant = ? AND label.name = ? AND label.value = ?${within.sql}`,
    values: [escapeName(tenant), name, escapeName(value), ...within.values],
  };
};

const countOf = ({ sql, values }: Query): Query => ({
  sql: `(SELECT count(*) FROM (${sql} LIMIT ${SEARCH_LIMIT + 1}) AS few)`,
  values,
});

/** The number of sessions of each label, or of the status, as `count_0` and so on. */
export const countsOf = (tables: Tables, tenant: string, range: PageRange): Query => {
  const columns = '1 AS one';
  const counts = labelsIn(range).map((label) => {
    const { sql, values } = labelled(tenant, label, range);
    return countOf({ sql: `SELECT ${columns} FROM ${sql}`, values });
  });
  if (counts.length === 0) {
    const parts = partsOf({ ...tables, columns }, tenant, range, boundsOf(range));
    counts.push(joined(parts.map(countOf), ' + '));
  }
  return joined(
    counts.map(({ sql, values }, at) => ({ sql: `${sql} AS count_${at}`, values })),
    ', ',
  );
};

/** The rarest label by a row of `countsOf`; undefined without labels. */
export const fewestIn = (
  range: PageRange,
  row: Fields | undefined,
): Result<Label | undefined, SearchTooLarge> => {
  const countAt = (at: number): number => Number(row?.[`count_${at}`]);
  const counted = labelsIn(range).map((label, at) => ({ label, count: countAt(at) }));
  const [fewest] = counted.toSorted((a, b) => a.count - b.count);
  const count = fewest?.count ?? countAt(0);
  if (count > SEARCH_LIMIT) return err(searchTooLarge(SEARCH_LIMIT));
  return ok(fewest?.label);
};

const condition = (sql: string, ...values: Query['values']): Query => ({
  sql: ` AND ${sql}`,
  values,
});

const withStatus = ({ status }: PageRange): Query => {
  if (status === undefined) return NOTHING;
  const stored = statusesIn(status);
  const values = [...stored.values, Math.min(status.now, NEVER - 1)];
  const isStored = `session.status IN (${stored.sql})`;
  if (status.anyOf.includes('TERMINATED'))
    return condition(`(${isStored} OR session.deadline <= ?)`, ...values);
  return condition(`${isStored} AND session.deadline > ?`, ...values);
};

/** A session whose deadline has passed was updated at its deadline. */
const UPDATED = `CASE
    WHEN status = 'TERMINATED' THEN last_activity
    WHEN deadline <= ? AND deadline > last_activity THEN deadline
    ELSE last_activity
  END`;

const timeOf = ({ order, now = 0 }: PageRange): Query => {
  if (order !== 'updated') return { sql: 'label.created_ms', values: [] };
  return { sql: UPDATED, values: [Math.min(now, NEVER - 1)] };
};

const searchAll = (tables: Tables, tenant: string, range: PageRange): Query => {
  const time = timeOf(range);
  const columns = `number, ${time.sql} AS created_ms, id`;
  const parts = partsOf({ ...tables, columns }, tenant, range, boundsOf(range));
  const withTime = parts.map(({ sql, values }) => ({ sql, values: [...time.values, ...values] }));
  return joined(withTime, ' UNION ALL ');
};

/**
 * All sessions of a range, in any order: `number`, `id`, and as `created_ms` the time by which they
 * are ordered. Examines only sessions with the label `fewest`, if there is one.
 */
export const searchOf = (
  tables: Tables,
  tenant: string,
  range: PageRange,
  fewest: Label | undefined,
): Query => {
  if (fewest === undefined) return searchAll(tables, tenant, range);
  const isJoined = range.order === 'updated' || range.status !== undefined;
  const { sql, values } = labelled(tenant, fewest, range, isJoined ? tables.joinSession : '');
  // A scalar query by the complete key. PostgreSQL may turn an EXISTS into a nested loop over all
  // sessions of both labels if it expects a single session.
  const isOther = `(
    SELECT other.session
    FROM $labels AS other
    WHERE other.tenant = ? AND other.name = ? AND other.value = ?
      AND other.created_ms = label.created_ms AND other.id = label.id
  ) IS NOT NULL`;
  const others = labelsIn(range)
    .filter(([name]) => name !== fewest[0])
    .map(([name, value]) => condition(isOther, escapeName(tenant), name, escapeName(value)));
  const conditions = joined([...others, withStatus(range)], '');
  const time = timeOf(range);
  return {
    sql: `
      SELECT label.session AS number, ${time.sql} AS created_ms, label.id AS id
      FROM ${sql}${conditions.sql}`,
    values: [...time.values, ...values, ...conditions.values],
  };
};

const afterCursor = ({ cursor, order }: PageRange): Query => {
  if (cursor === undefined) return NOTHING;
  const sign = order === 'oldest' ? '>' : '<';
  const values = [Date.parse(cursor.at), escapeName(cursor.id)];
  return { sql: `WHERE (created_ms, id) ${sign} (?, ?)`, values };
};

/** `found`: an expression for all rows of `searchOf`. Includes the next row if there is one. */
export const pageOfSearch = (found: Query, range: PageRange): Query => {
  const after = afterCursor(range);
  return {
    sql: `
      SELECT number, created_ms, id
      FROM ${found.sql} AS found
      ${after.sql}
      ${orderOf(range)}
      LIMIT ? OFFSET ?`,
    values: [...found.values, ...after.values, range.limit + 1, range.offset],
  };
};
