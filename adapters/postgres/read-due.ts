import { err, ok } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { DueSession, DueSessions } from '../../src/store/session-store.js';
import { dueOfTenant, dueSessionOf, firstDue, tenantsDue } from '../sql/due-query.js';
import type { Answer, Call } from './call.js';

/** Reads the due sessions. Only if more are due than `limit`, they are shared out between the tenants. */
export const readDue = async (
  call: Call,
  prefix: string,
  now: number,
  limit: number,
): Answer<DueSessions, StoreError> => {
  const first = await call.query(firstDue(prefix, now, limit + 1));
  if (first.isErr()) return err(first.error);
  if (first.value.length <= limit) return ok({ sessions: first.value.map(dueSessionOf), failed: [], hasMore: false });
  const tenants = await call.query(tenantsDue(prefix, now, limit));
  if (tenants.isErr()) return err(tenants.error);
  const share = Math.max(1, Math.floor(limit / Math.max(1, tenants.value.length)));
  const sessions: DueSession[] = [];
  for (const { tenant } of tenants.value) {
    const due = await call.query(dueOfTenant(prefix, String(tenant), now, share));
    if (due.isErr()) return err(due.error);
    sessions.push(...due.value.map(dueSessionOf));
  }
  return ok({ sessions: sessions.sort((a, b) => a.dueAt - b.dueAt), failed: [], hasMore: true });
};
