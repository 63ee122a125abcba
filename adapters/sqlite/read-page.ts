import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import { escapeName } from '../../src/store/escape-name.js';
import type { Admit, PageRange, RecordPage } from '../../src/store/session-store.js';
import { type Dialect, type Query, rowsOfPage, totalOfPage } from '../sql/page-query.js';
import { pageOf } from '../sql/session-rows.js';
import { type Connection, hasKey, PREFIX } from './connection.js';
import { loadSessions, selectRows } from './read-session.js';

const dialect: Dialect = {
  prefix: PREFIX,
  byTenantDue: 'INDEXED BY colloquy_sessions_by_tenant_due',
  columns: 'number, created_ms, id',
};

/** The rows of a page, and one more if there is one: in its order, since the places are the outer loop of a CROSS JOIN. */
const rowsOf = (tenant: string, range: PageRange): Query => {
  const { sql, values } = rowsOfPage(dialect, tenant, range);
  return selectRows(range, { sql: `(${sql}) AS place CROSS JOIN colloquy_sessions AS session USING (number)`, values });
};

/**
 * Reads a page. A page by cursor costs the same anywhere; one by offset costs a step in the index for each session that it
 * skips, and none behind the last page.
 */
export const readPage = <E>(
  connection: Connection,
  tenant: string,
  range: PageRange,
  admit: Admit<E> | undefined,
): Result<RecordPage, StoreError | E> =>
  connection.read((): Result<RecordPage, StoreError | E> => {
    const owner = { tenant: escapeName(tenant) };
    const { sql, values } = totalOfPage(dialect, tenant, range);
    const total = Number(connection.find(`SELECT ? AS tenant, ${sql} AS total`, owner, ...values)?.['total'] ?? 0);
    if (range.offset >= total) return ok(pageOf([], [], total));
    const rows = connection.query(rowsOf(tenant, range), hasKey(owner));
    const loaded = loadSessions(connection, rows.slice(0, range.limit), range, admit);
    return loaded.map((sessions) => pageOf(rows, sessions, total));
  });
