import { err, ok } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { dueOfTenant, dueSessionOf, firstDue, tenantsDue } from '../sql/due-query.js';
import type { Answer, Call } from './call.js';

const dueSessions = (rows: readonly Fields[], hasMore: boolean): DueSessions => ({
  sessions: rows.map(dueSessionOf),
  failed: [],
  hasMore,
});

/** Reads what is due. If that is more than `limit`, the limit is shared between the tenants. */
export const readDue = async (
  call: Call,
  prefix: string,
  now: number,
  limit: number,
): Answer<DueSessions, StoreError> => {
  const first = await call.query(firstDue(prefix, now, limit + 1));
  if (first.isErr()) return err(first.error);
  if (first.value.length <= limit) return ok(dueSessions(first.value, false));
  const tenants = await call.query(tenantsDue(prefix, now, limit));
  if (tenants.isErr()) return err(tenants.error);
  const share = Math.max(1, Math.floor(limit / Math.max(1, tenants.value.length)));
  const rows: Fields[] = [];
  for (const { tenant } of tenants.value) {
    const due = await call.query(dueOfTenant(prefix, String(tenant), now, share));
    if (due.isErr()) return err(due.error);
    rows.push(...due.value);
  }
  rows.sort((a, b) => Number(a['due_at']) - Number(b['due_at']));
  return ok(dueSessions(rows, true));
};
