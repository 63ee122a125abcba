import { err, ok } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { PAGE_LIMIT } from '../../src/session/limits.js';
import { isSearch } from '../../src/store/page-range.js';
import type { PageRange, RecordPage } from '../../src/store/session-store.js';
import { orderOf, rowsOfPage, totalOfPage } from '../sql/page-query.js';
import type { Query } from '../sql/query.js';
import { countsOf, fewestIn, pageOfSearch, searchOf } from '../sql/search-query.js';
import { checkedSize, pageOf, sessionOf } from '../sql/session-rows.js';
import { parseStored } from '../stored/json.js';
import type { Answer, Call } from './call.js';
import { loadSessions, SESSION_COLUMNS, type Source } from './load-sessions.js';
import type { Statement } from './prepared-statements.js';

const tables = {
  byTenantDue: '',
  // OFFSET forces a lookup for each row, whatever the planner expects.
  joinSession: `CROSS JOIN LATERAL (
        SELECT status, deadline, last_activity
        FROM $sessions
        WHERE number = label.session
        OFFSET 0
      ) AS session`,
};

interface PageParts {
  readonly totals: Query;
  readonly source: Source;
}

const listed = ({ sql, values }: Query): Source => ({
  sql: `(${sql}) AS listed JOIN $sessions AS session USING (number)`,
  values,
  time: 'listed.created_ms',
});

const indexParts = (tenant: string, range: PageRange): PageParts => {
  // A page by number skips sessions in the index, and looks up only the sessions on the page.
  const isWhole = range.offset === 0 && range.labels === undefined;
  const columns = isWhole ? '*' : 'number, created_ms, id';
  const dialect = {
    ...tables,
    columns,
    total: '(SELECT total FROM totals)',
    expectedRows: PAGE_LIMIT + 1,
  };
  const total = totalOfPage(dialect, tenant, range);
  const rows = rowsOfPage(dialect, tenant, range);
  return {
    totals: { sql: `totals AS (SELECT ${total.sql} AS total)`, values: total.values },
    source: isWhole ? { sql: `(${rows.sql}) AS session`, values: rows.values } : listed(rows),
  };
};

/** Examines the sessions once, for both the page and its total. */
const searchParts = ({ sql, values }: Query, range: PageRange): PageParts => ({
  totals: {
    sql: `matching AS (${sql}), totals AS (SELECT count(*) AS total FROM matching)`,
    values,
  },
  source: listed(pageOfSearch({ sql: 'matching', values: [] }, range)),
});

const pageQuery = ({ totals, source }: PageParts, range: PageRange): Statement => {
  const sessions = loadSessions(source, range, range);
  return {
    sql: `WITH ${totals.sql}
      SELECT total, page.* FROM totals LEFT JOIN (${sessions.sql}) AS page ON true
      ${orderOf(range)}`,
    values: [...totals.values, ...sessions.values],
    columns: ['total', ...SESSION_COLUMNS],
    hasRow: true,
    isPlannedAnew: isSearch(range),
  };
};

const partsOf = async (
  call: Call,
  tenant: string,
  range: PageRange,
): Answer<PageParts, StoreError | SearchTooLarge> => {
  if (!isSearch(range)) return ok(indexParts(tenant, range));
  const { sql, values } = countsOf(tables, tenant, range);
  const counts = await call.read({
    sql: `SELECT ${sql}`,
    values,
    columns: ['count_0'],
    hasRow: true,
  });
  return counts
    .andThen(([row]) => fewestIn(range, row))
    .map((fewest) => searchParts(searchOf(tables, tenant, range, fewest), range));
};

const isSession = (row: Fields): boolean => row['id'] !== null;

/**
 * A page by cursor costs the same anywhere in the list. A page by offset costs a step in the index
 * for each session that it skips; past the end it costs nothing.
 */
export const readPage = async (
  call: Call,
  tenant: string,
  range: PageRange,
): Answer<RecordPage, StoreError | SearchTooLarge | TooLarge> => {
  const parts = await partsOf(call, tenant, range);
  if (parts.isErr()) return err(parts.error);
  const result = await call.read(pageQuery(parts.value, range));
  return result.andThen((rows) =>
    checkedSize(rows.filter(isSession).slice(0, range.limit), range).map((page) =>
      pageOf(
        rows,
        page.map(({ id, record }) => sessionOf(id, parseStored(record), range)),
        Number(rows[0]?.['total'] ?? 0),
      ),
    ),
  );
};
