import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { type TooManyLabelled, tooManyLabelled } from '../../src/session/errors.js';
import { LABEL_SEARCH_LIMIT } from '../../src/session/session-limits.js';
import type { PageRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { labelsIn } from '../shared/label-search.js';
import { NEVER } from '../shared/never.js';
import { boundsOf, directionOf, isWithin } from './page-query.js';
import type { Query } from './query.js';

/*
 * A page of the sessions that have several labels, a label and a status, or a label in the order of their last update.
 * No index has them in their order, so the query examines all sessions between the two times that have the label with
 * the fewest of them.
 */

type Label = readonly [name: string, value: string];

/** The rows of a label between the two times, as `label`, and the tables that are joined to them. */
const labelled = (prefix: string, tenant: string, [name, value]: Label, range: PageRange, joined = ''): Query => {
  const within = isWithin(boundsOf(range), 'label.created_ms, label.id');
  return {
    sql: `${prefix}labels AS label ${joined}
      WHERE label.tenant = ? AND label.name = ? AND label.value = ?${within.sql}`,
    values: [escapeName(tenant), name, escapeName(value), ...within.values],
  };
};

/** Numbers of sessions of each label, as `count_0` and so on: at most one more than the limit. */
export const countsOfLabels = (prefix: string, tenant: string, range: PageRange): Query => {
  const counts = labelsIn(range).map((label, at) => {
    const { sql, values } = labelled(prefix, tenant, label, range);
    const few = `SELECT 1 AS one FROM ${sql} LIMIT ${LABEL_SEARCH_LIMIT + 1}`;
    return { sql: `(SELECT count(*) FROM (${few}) AS few_${at}) AS count_${at}`, values };
  });
  return { sql: counts.map(({ sql }) => sql).join(', '), values: counts.flatMap(({ values }) => values) };
};

/** The label that has the fewest sessions, by a row of `countsOfLabels`. */
export const fewestIn = (range: PageRange, row: Fields | undefined): Result<Label, TooManyLabelled> => {
  const counted = labelsIn(range).map((label, at) => ({ label, count: Number(row?.[`count_${at}`]) }));
  const { label, count } = counted.reduce((least, each) => (each.count < least.count ? each : least));
  return count > LABEL_SEARCH_LIMIT ? err(tooManyLabelled(label, LABEL_SEARCH_LIMIT)) : ok(label);
};

const condition = (sql: string, ...values: Query['values']): Query => ({ sql: ` AND ${sql}`, values });

/** The sessions that have a status at a time. */
const withStatus = ({ status }: PageRange): Query => {
  if (status === undefined) return { sql: '', values: [] };
  const now = Math.min(status.now, NEVER - 1);
  return status.status === 'TERMINATED'
    ? condition("(session.status = 'TERMINATED' OR session.deadline <= ?)", now)
    : condition('session.status = ? AND session.deadline > ?', status.status, now);
};

/** The time of the last update: a session whose deadline has passed was updated at its deadline. */
const UPDATED = `CASE
    WHEN session.status = 'TERMINATED' THEN session.last_activity
    WHEN session.deadline <= ? AND session.deadline > session.last_activity THEN session.deadline
    ELSE session.last_activity
  END`;

/**
 * All sessions of a range: `number`, the time of their order as `created_ms`, and `id`. Examines those of the label
 * `fewest`.
 */
export const searchOf = (prefix: string, tenant: string, range: PageRange, fewest: Label): Query => {
  const { order, status, now = 0 } = range;
  const isByUpdate = order === 'updated';
  const sessions = `JOIN ${prefix}sessions AS session ON session.number = label.session`;
  const { sql, values } = labelled(prefix, tenant, fewest, range, isByUpdate || status !== undefined ? sessions : '');
  const others = labelsIn(range).flatMap(([name, value]) =>
    name === fewest[0]
      ? []
      : condition(
          `EXISTS (
            SELECT 1
            FROM ${prefix}labels AS other
            WHERE other.tenant = ? AND other.name = ? AND other.value = ?
              AND other.created_ms = label.created_ms AND other.id = label.id
          )`,
          escapeName(tenant),
          name,
          escapeName(value),
        ),
  );
  const conditions = [...others, withStatus(range)];
  return {
    sql: `
      SELECT label.session AS number, ${isByUpdate ? UPDATED : 'label.created_ms'} AS created_ms,
        label.id AS id
      FROM ${sql}${conditions.map((each) => each.sql).join('')}`,
    values: [
      ...(isByUpdate ? [Math.min(now, NEVER - 1)] : []),
      ...values,
      ...conditions.flatMap((each) => each.values),
    ],
  };
};

/** The rows of a page of `found`, an expression for all rows of `searchOf`, and the next row if there is one. */
export const pageOfSearch = (found: Query, range: PageRange): Query => {
  const { offset, limit, cursor, order } = range;
  const afterCursor = cursor === undefined ? '' : `WHERE (created_ms, id) ${order === 'oldest' ? '>' : '<'} (?, ?)`;
  const position = cursor === undefined ? [] : [Date.parse(cursor.at), escapeName(cursor.id)];
  return {
    sql: `
      SELECT number, created_ms, id
      FROM ${found.sql} AS found
      ${afterCursor}
      ${directionOf(range)}
      LIMIT ? OFFSET ?`,
    values: [...found.values, ...position, limit + 1, offset],
  };
};
