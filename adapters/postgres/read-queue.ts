import { err, ok } from 'neverthrow';
import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type {
  ClaimedRecords,
  ClaimRange,
  DueSessions,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedRecords } from '../shared/claimed-records.js';
import { escapeName } from '../shared/escape-name.js';
import { finite } from '../shared/never.js';
import {
  countIn,
  dueSessionsIn,
  firstDue,
  tenantsWaiting,
  waitingCount,
  waitingOfTenant,
} from '../sql/queue-query.js';
import { type Answer, type Call, procedureCall } from './call.js';
import { sessionOf } from './load-sessions.js';

/** Reads what is due. If that is more than `limit`, the limit is shared between the tenants. */
export const readDue = async (
  call: Call,
  prefix: string,
  now: number,
  limit: number,
): Answer<DueSessions, StoreError> => {
  const first = await call.query(firstDue(prefix, now, limit + 1));
  if (first.isErr()) return err(first.error);
  if (first.value.length <= limit) return ok(dueSessionsIn(first.value, false));
  const tenants = await call.query(tenantsWaiting(prefix, 'due_at', now, limit));
  if (tenants.isErr()) return err(tenants.error);
  const share = Math.max(1, Math.floor(limit / Math.max(1, tenants.value.length)));
  const rows: Fields[] = [];
  for (const { tenant } of tenants.value) {
    const due = await call.query(waitingOfTenant(prefix, 'due_at', String(tenant), now, share));
    if (due.isErr()) return err(due.error);
    rows.push(...due.value);
  }
  rows.sort((a, b) => Number(a['due_at']) - Number(b['due_at']));
  return ok(dueSessionsIn(rows, true));
};

/** The tenants to claim sessions of: the given one, or those that have some. */
const tenantsOf = async (
  call: Call,
  prefix: string,
  { tenant, now, limit }: ClaimRange,
): Answer<readonly string[], StoreError> => {
  if (tenant !== undefined) return ok([escapeName(tenant)]);
  const found = await call.query(tenantsWaiting(prefix, 'wake_at', now, limit));
  return found.map((rows) => rows.map((row) => String(row['tenant'])));
};

/** Hands out sessions that want a worker, and moves them to `until`. */
export const claimSessions = async (
  call: Call,
  prefix: string,
  range: ClaimRange,
): Answer<ClaimedRecords, StoreError> => {
  const { now, until, limit } = range;
  const tenants = await tenantsOf(call, prefix, range);
  if (tenants.isErr()) return err(tenants.error);
  if (tenants.value.length === 0) return ok(claimedRecords(dueSessionsIn([], false), []));
  const values = [tenants.value, now, finite(until), limit];
  const claimed = await call.write(procedureCall(prefix, 'claim_sessions', values), values);
  return claimed.map(([row]) => {
    const found: unknown = row?.['result'];
    const rows = Array.isArray(found) ? found.filter(isFields) : [];
    const records = rows.map((session) => sessionOf(session, { historyLimit: 0 }));
    return claimedRecords(dueSessionsIn(rows, rows.length > 0), records);
  });
};

/** Counts the sessions that want a worker. */
export const countWaiting = async (
  call: Call,
  prefix: string,
  range: WaitingRange,
): Answer<number, StoreError> => {
  const found = await call.query(waitingCount(prefix, range));
  return found.map((rows) => countIn(rows, range));
};
