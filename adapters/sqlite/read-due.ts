import { ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { type DueTable, dueOfTenant, dueSessionOf, dueSessions, firstDue, tenantsDue } from '../sql/due-query.js';
import { type Connection, hasKey, PREFIX } from './connection.js';

/**
 * Reads the due rows of a table, within a transaction. If more than `limit` are due, the limit is shared between the
 * tenants.
 */
export const dueRows = (
  connection: Connection,
  table: DueTable,
  now: number,
  limit: number,
): { readonly rows: readonly Fields[]; readonly hasMore: boolean } => {
  const first = connection.query(firstDue(table, now, limit + 1));
  if (first.length <= limit) return { rows: first, hasMore: false };
  const tenants = connection.query(tenantsDue(table, now, limit));
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const rows = tenants
    .map(({ tenant }) => String(tenant))
    .flatMap((tenant) => connection.query(dueOfTenant(table, tenant, now, share), hasKey({ tenant })))
    .sort((a, b) => Number(a['due_at']) - Number(b['due_at']));
  return { rows, hasMore: true };
};

export const readDue = (connection: Connection, now: number, limit: number): Result<DueSessions, StoreError> =>
  connection.read((): Result<DueSessions, never> => {
    const { rows, hasMore } = dueRows(connection, dueSessions(PREFIX), now, limit);
    return ok({ sessions: rows.map(dueSessionOf), failed: [], hasMore });
  });
