import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { Admit, PageRange, RecordPage } from '../../src/store/session-store.js';
import { type Dialect, placeOf, rowsOfPage, totalOfPage } from '../sql/page-query.js';
import { type Connection, PREFIX } from './connection.js';
import { bytesToRead, loadSession, SIZE_COLUMNS } from './read-session.js';

const dialect: Dialect = { prefix: PREFIX, byTenantDue: 'INDEXED BY colloquy_sessions_by_tenant_due' };

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
    const { sql, values } = totalOfPage(dialect, tenant, range);
    const total = Number(connection.get(`SELECT ${sql} AS total`, ...values)?.['total'] ?? 0);
    const rows = connection.query(rowsOfPage(dialect, tenant, range));
    const page = rows.slice(0, range.limit);
    if (admit !== undefined && page.length > 0) {
      const bytes = page.reduce((sum, row) => sum + bytesOfRow(connection, row, range), 0);
      const refusal = admit(bytes, page.length);
      if (refusal !== undefined) return err(refusal);
    }
    const records: SessionRecord[] = [];
    const unreadable: string[] = [];
    for (const row of page) {
      const { id } = placeOf(row);
      loadSession(connection, id, Number(row['number']), range).match(
        (record) => records.push(record),
        () => unreadable.push(id),
      );
    }
    const last = rows.length > range.limit ? page.at(-1) : undefined;
    return ok({ records, total, unreadable, ...(last && { next: placeOf(last) }) });
  });
