import { err, ok } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueSessions } from '../../src/store/session-store.js';
import { type DueTable, dueOfTenant, dueSessionOf, dueSessions, firstDue, tenantsDue } from '../sql/due-query.js';
import type { Answer, Call } from './call.js';

/** Rows that are due, and whether there are more. */
export interface DueRows {
  readonly rows: readonly Fields[];
  readonly hasMore: boolean;
}

/** Reads the due rows of a table. If more than `limit` are due, the limit is shared between the tenants. */
export const dueRows = async (call: Call, table: DueTable, now: number, limit: number): Answer<DueRows, StoreError> => {
  const first = await call.query(firstDue(table, now, limit + 1));
  if (first.isErr()) return err(first.error);
  if (first.value.length <= limit) return ok({ rows: first.value, hasMore: false });
  const tenants = await call.query(tenantsDue(table, now, limit));
  if (tenants.isErr()) return err(tenants.error);
  const share = Math.max(1, Math.floor(limit / Math.max(1, tenants.value.length)));
  const rows: Fields[] = [];
  for (const { tenant } of tenants.value) {
    const due = await call.query(dueOfTenant(table, String(tenant), now, share));
    if (due.isErr()) return err(due.error);
    rows.push(...due.value);
  }
  return ok({ rows: rows.sort((a, b) => Number(a['due_at']) - Number(b['due_at'])), hasMore: true });
};

export const readDue = async (
  call: Call,
  prefix: string,
  now: number,
  limit: number,
): Answer<DueSessions, StoreError> =>
  (await dueRows(call, dueSessions(prefix), now, limit)).map(({ rows, hasMore }) => ({
    sessions: rows.map(dueSessionOf),
    failed: [],
    hasMore,
  }));
