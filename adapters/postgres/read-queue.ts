import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type {
  DueSessions,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedRecords, ENDED_AT_ONCE, ENDED_MS } from '../../src/store/taken-records.js';
import { type Query, rowsIn } from '../sql/query.js';
import {
  countIn,
  dueSessionsIn,
  firstDue,
  isWaiting,
  tenantsDue,
  tenantsInTurn,
  waitingCount,
} from '../sql/queue-query.js';
import { sessionIn } from '../sql/session-rows.js';
import { escapeName } from '../stored/escape-name.js';
import { finite } from '../stored/infinite-times.js';
import { parseStored } from '../stored/json.js';
import type { Answer, Call } from './call.js';
import { foreignAnswer } from './failure.js';
import { arrayOf } from './prepared-statements.js';

const dueOfTenants = (now: number, limit: number): Query => {
  const tenants = tenantsDue(now, limit);
  return {
    sql: `
      WITH waiting AS (${tenants.sql})
      SELECT due.*
      FROM waiting, LATERAL (
        SELECT session.tenant, id, due_at
        FROM $sessions AS session
        WHERE session.tenant = waiting.tenant AND ${isWaiting('due_at')}
        ORDER BY due_at
        LIMIT greatest(1, ? / (SELECT count(*) FROM waiting))
      ) AS due
      ORDER BY due_at`,
    values: [...tenants.values, now, limit],
  };
};

const DUE_COLUMNS = ['tenant', 'id', 'due_at'];

/** If more than `limit` sessions are due, the tenants share the limit. */
export const readDue = async (
  call: Call,
  now: number,
  limit: number,
): Answer<DueSessions, StoreError> => {
  const first = await call.read({ ...firstDue(now, limit + 1), columns: DUE_COLUMNS });
  if (first.isErr()) return err(first.error);
  if (first.value.length <= limit) return ok(dueSessionsIn(first.value, false));
  const shared = await call.read({ ...dueOfTenants(now, limit), columns: DUE_COLUMNS });
  return shared.map((rows) => dueSessionsIn(rows, true));
};

/**
 * Number of tenants that a call considers beyond its limit, because concurrent calls may have taken
 * all sessions of the first tenants.
 */
const OTHERS = 16;

const tenantsOf = async (
  call: Call,
  { tenant, now, limit }: TakeRange,
): Answer<readonly string[], StoreError> => {
  if (tenant !== undefined) return ok([escapeName(tenant)]);
  const found = await call.read({ ...tenantsInTurn(now, limit + OTHERS), columns: ['tenant'] });
  return found.map((rows) => rows.map((row) => String(row['tenant'])));
};

export const takeSessions = async (
  call: Call,
  range: TakeRange,
): Answer<TakenRecords, StoreError> => {
  const { tenant, now, until, limit, inCompany = false } = range;
  const tenants = await tenantsOf(call, range);
  if (tenants.isErr()) return err(tenants.error);
  const ended = [now - ENDED_MS, ENDED_AT_ONCE];
  const order = [inCompany, tenant === undefined];
  const values = [arrayOf(tenants.value), now, finite(until), limit, ...ended, ...order];
  const taken = await call.run('take_sessions', values, ['result']);
  return taken.andThen(([row]): Result<TakenRecords, StoreError> => {
    const rows = rowsIn(parseStored(row?.['result']));
    if (rows === undefined) return err(foreignAnswer('unknown'));
    const records = rows.map((row) => sessionIn(row, 0));
    return ok(claimedRecords(dueSessionsIn(rows, rows.length > 0, 'wake_at'), records));
  });
};

export const countWaiting = async (call: Call, range: WaitingRange): Answer<number, StoreError> => {
  const found = await call.read({ ...waitingCount(range), columns: ['counted'], hasRow: true });
  return found.map((rows) => countIn(rows, range));
};
