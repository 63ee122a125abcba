import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { Admit, PageRange, RecordPage } from '../../src/store/session-store.js';
import { type Query, rowsOfPage, totalOfPage } from '../sql/page-query.js';
import { pageOf } from '../sql/session-rows.js';
import type { Answer, Call } from './call.js';
import { loadSessions, readAdmitted, sessionOf } from './load-sessions.js';

const pageQuery = (prefix: string, tenant: string, range: PageRange, maxBytes: number): Query => {
  // A page by number skips sessions in the index alone, and then looks up those on the page.
  const isWhole = range.offset === 0 && range.label === undefined;
  const columns = isWhole ? '*' : 'number, created_ms, id';
  const dialect = { prefix, byTenantDue: '', columns, total: '(SELECT total FROM totals)' };
  const total = totalOfPage(dialect, tenant, range);
  const sessions = loadSessions(prefix, { ...rowsOfPage(dialect, tenant, range), isWhole }, range, maxBytes);
  const direction = range.order === 'oldest' ? '' : 'DESC';
  return {
    sql: `WITH totals AS (SELECT ${total.sql} AS total)
      SELECT total, page.* FROM totals LEFT JOIN (${sessions.sql}) AS page ON true
      ORDER BY created_ms ${direction}, id ${direction}`,
    values: [...total.values, ...sessions.values],
  };
};

const isSession = (row: Fields): boolean => row['id'] !== null;

/**
 * Reads a page and its total. A page by cursor costs the same anywhere; one by offset costs a step in the index for each
 * session that it skips, and none behind the last page.
 */
export const readPage = async <E>(
  call: Call,
  prefix: string,
  tenant: string,
  range: PageRange,
  admit: Admit<E> | undefined,
): Answer<RecordPage, StoreError | E> => {
  const sessionsIn = (rows: readonly Fields[]) => rows.filter(isSession).slice(0, range.limit);
  const read = (maxBytes: number) => call.query(pageQuery(prefix, tenant, range, maxBytes));
  const result = await readAdmitted(read, admit, sessionsIn);
  return result.map((rows) => pageOf(rows, sessionsIn(rows).map(sessionOf), Number(rows[0]?.['total'] ?? 0)));
};
