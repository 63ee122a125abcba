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

const totalOf = (connection: Connection, tenant: string, range: PageRange): number => {
  const { sql, values } = totalOfPage(dialect, tenant, range);
  const row = connection.find(`SELECT ? AS tenant, ${sql} AS total`, { tenant: escapeName(tenant) }, ...values);
  return Number(row?.['total'] ?? 0);
};

/** Number of a tenant's sessions that are ACTIVE at `now`, in milliseconds since the epoch. */
export const activeAt = (connection: Connection, tenant: string, now: number): number =>
  totalOf(connection, tenant, { offset: 0, limit: 0, status: { status: 'ACTIVE', now } });

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
    const total = totalOf(connection, tenant, range);
    if (range.offset >= total) return ok(pageOf([], [], total));
    const rows = connection.query(rowsOf(tenant, range), hasKey({ tenant: escapeName(tenant) }));
    const loaded = loadSessions(connection, rows.slice(0, range.limit), range, admit);
    return loaded.map((sessions) => pageOf(rows, sessions, total));
  });
