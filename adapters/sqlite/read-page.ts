import { err, ok, type Result } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import { isSearch } from '../../src/store/page-range.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { type Dialect, rowsOfPage, totalOfPage } from '../sql/page-query.js';
import type { Query } from '../sql/query.js';
import { countsOf, fewestIn, pageOfSearch, searchOf } from '../sql/search-query.js';
import { checkedSize, pageOf } from '../sql/session-rows.js';
import { escapeName } from '../stored/escape-name.js';
import { parseStored } from '../stored/json.js';
import type { Connection } from './connection.js';
import { loadSessions, sizeOf } from './load-sessions.js';

const dialect: Dialect = {
  byTenantDue: 'INDEXED BY $sessions_by_tenant_due',
  joinSession: 'CROSS JOIN $sessions AS session ON session.number = label.session',
  columns: 'number, created_ms, id',
};

/**
 * The rows of a page and the next row if there is one, as one JSON value and without large columns.
 * CROSS JOIN makes the page the outer loop, which keeps its order.
 */
const rowsOf = (range: PageRange, { sql, values }: Query): Query => {
  const size = sizeOf(range);
  return {
    sql: `
      json_group_array(
        json_object(
          'number', number,
          'id', session.id,
          'created_ms', listed.created_ms,
          'size', ${size.sql}
        )
      ) AS rows
      FROM (${sql}) AS listed CROSS JOIN $sessions AS session USING (number)`,
    values: [...size.values, ...values],
  };
};

/** The one row of an expression, for a tenant. */
const rowOf = (connection: Connection, tenant: string, { sql, values }: Query) =>
  connection.find(`SELECT ? AS tenant, ${sql}`, { tenant: escapeName(tenant) }, ...values);

const rowsIn = (connection: Connection, tenant: string, query: Query): readonly Fields[] => {
  const rows = parseStored(rowOf(connection, tenant, query)?.['rows']);
  return Array.isArray(rows) ? rows.filter(isFields) : [];
};

const totalIn = (connection: Connection, tenant: string, { sql, values }: Query): number =>
  Number(rowOf(connection, tenant, { sql: `${sql} AS total`, values })?.['total'] ?? 0);

interface PageQueries {
  readonly total: Query;
  readonly rows: Query;
}

const queriesOf = (
  connection: Connection,
  tenant: string,
  range: PageRange,
): Result<PageQueries, SearchTooLarge> => {
  if (!isSearch(range)) {
    return ok({
      total: totalOfPage(dialect, tenant, range),
      rows: rowsOfPage(dialect, tenant, range),
    });
  }
  const counts = rowOf(connection, tenant, countsOf(dialect, tenant, range));
  return fewestIn(range, counts).map((fewest) => {
    const found = searchOf(dialect, tenant, range, fewest);
    const total = { sql: `(SELECT count(*) FROM (${found.sql}))`, values: found.values };
    return { total, rows: pageOfSearch({ ...found, sql: `(${found.sql})` }, range) };
  });
};

/** Number of a tenant's sessions that are ACTIVE or PAUSED at a time. */
export const liveAt = (connection: Connection, tenant: string, now: number): number => {
  const live = { offset: 0, limit: 0, status: { anyOf: ['ACTIVE', 'PAUSED'], now } } as const;
  return totalIn(connection, tenant, totalOfPage(dialect, tenant, live));
};

/**
 * A page by cursor costs the same anywhere in the list. A page by offset costs a step in the index
 * for each session that it skips; past the end it costs nothing.
 */
export const readPage = (
  connection: Connection,
  tenant: string,
  range: PageRange,
): Result<RecordPage, StoreError | SearchTooLarge | TooLarge> =>
  connection.read((): Result<RecordPage, StoreError | SearchTooLarge | TooLarge> => {
    const queries = queriesOf(connection, tenant, range);
    if (queries.isErr()) return err(queries.error);
    const total = totalIn(connection, tenant, queries.value.total);
    if (range.offset >= total) return ok(pageOf([], [], total));
    const rows = rowsIn(connection, tenant, rowsOf(range, queries.value.rows));
    const page = checkedSize(rows.slice(0, range.limit), range);
    return page.map((fitting) => pageOf(rows, loadSessions(connection, fitting, range), total));
  });
