import { ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { dueOfTenant, dueSessionOf, firstDue, tenantsDue } from '../sql/due-query.js';
import { type Connection, PREFIX } from './connection.js';

const dueSessions = (rows: readonly Fields[], hasMore: boolean): DueSessions => ({
  sessions: rows.map(dueSessionOf),
  failed: [],
  hasMore,
});

/** Reads what is due. If that is more than `limit`, the limit is shared between the tenants. */
export const readDue = (connection: Connection, now: number, limit: number): Result<DueSessions, StoreError> =>
  connection.read((): Result<DueSessions, never> => {
    const first = connection.query(firstDue(PREFIX, now, limit + 1));
    if (first.length <= limit) return ok(dueSessions(first, false));
    const tenants = connection.query(tenantsDue(PREFIX, now, limit));
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const rows = tenants
      .map(({ tenant }) => String(tenant))
      .flatMap((tenant) =>
        connection.query(dueOfTenant(PREFIX, tenant, now, share), ({ tenant: found }) => found === tenant),
      )
      .sort((a, b) => Number(a['due_at']) - Number(b['due_at']));
    return ok(dueSessions(rows, true));
  });
