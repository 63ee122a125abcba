import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { dueOfTenant, dueSessionOf, firstDue, tenantsDue } from '../sql/due-query.js';
import { type Connection, hasKey, PREFIX } from './connection.js';

/** Reads the due sessions. Only if more are due than `limit`, they are shared out between the tenants. */
export const readDue = (connection: Connection, now: number, limit: number): Result<DueSessions, StoreError> =>
  connection.read((): Result<DueSessions, never> => {
    const first = connection.query(firstDue(PREFIX, now, limit + 1));
    if (first.length <= limit) return ok({ sessions: first.map(dueSessionOf), failed: [], hasMore: false });
    const tenants = connection.query(tenantsDue(PREFIX, now, limit));
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const sessions = tenants
      .map(({ tenant }) => String(tenant))
      .flatMap((tenant) => connection.query(dueOfTenant(PREFIX, tenant, now, share), hasKey({ tenant })))
      .map(dueSessionOf)
      .sort((a, b) => a.dueAt - b.dueAt);
    return ok({ sessions, failed: [], hasMore: true });
  });
