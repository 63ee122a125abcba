import { ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type {
  ClaimedRecords,
  ClaimRange,
  DueSessions,
  ReadSize,
  WaitingRange,
} from '../../src/store/session-store.js';
import { claimedRecords } from '../shared/claimed-records.js';
import { escapeName } from '../shared/escape-name.js';
import { finite } from '../shared/never.js';
import {
  countIn,
  dueSessionsIn,
  firstDue,
  isWaiting,
  type Queue,
  tenantsWaiting,
  waitingCount,
} from '../sql/queue-query.js';
import { type Connection, hasKey } from './connection.js';
import { loadSessions, selectRows } from './load-sessions.js';

/** Rows of a queue, and whether there may be more. */
interface Waiting {
  readonly rows: readonly Fields[];
  readonly hasMore: boolean;
}

const MOVE = 'UPDATE $sessions SET wake_at = ? WHERE number = ?';

/** Sessions without their entries. */
const LIGHT = { historyLimit: 0 } satisfies ReadSize;

/** The waiting sessions of one tenant. */
const ofTenant = (
  connection: Connection,
  queue: Queue,
  tenant: string,
  now: number,
  limit: number,
): readonly Fields[] => {
  const sql = `$sessions AS session
      WHERE tenant = ? AND ${isWaiting(queue)}
      ORDER BY ${queue}
      LIMIT ?`;
  return connection.query(
    selectRows(LIGHT, { sql, values: [tenant, now, limit] }),
    hasKey({ tenant }),
  );
};

/** The sessions of all tenants. The limit is shared between the tenants. */
const ofAllTenants = (
  connection: Connection,
  queue: Queue,
  now: number,
  limit: number,
): Waiting => {
  const tenants = connection.query(tenantsWaiting(queue, now, limit));
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const rows = tenants
    .flatMap(({ tenant }) => ofTenant(connection, queue, String(tenant), now, share))
    .sort((a, b) => Number(a[queue]) - Number(b[queue]));
  return { rows, hasMore: rows.length > 0 };
};

/** Reads the sessions that are due. */
export const readDue = (
  connection: Connection,
  now: number,
  limit: number,
): Result<DueSessions, StoreError> =>
  connection.read(() => {
    const first = connection.query(firstDue(now, limit + 1));
    if (first.length <= limit) return ok(dueSessionsIn(first, false));
    const { rows, hasMore } = ofAllTenants(connection, 'due_at', now, limit);
    return ok(dueSessionsIn(rows, hasMore));
  });

/** Counts the sessions that wait for a worker. */
export const countWaiting = (
  connection: Connection,
  range: WaitingRange,
): Result<number, StoreError> =>
  connection.read(() => ok(countIn(connection.query(waitingCount(range)), range)));

/** Takes its turn like a tenant: no tenant has an empty name. */
const ALL_TENANTS = '';

/** Reads the sessions that wait for a worker, and moves them to `until`. */
export const claimSessions = (
  connection: Connection,
  { tenant, now, until, limit }: ClaimRange,
): Promise<Result<ClaimedRecords, StoreError>> =>
  connection.write(tenant ?? ALL_TENANTS, (): Result<ClaimedRecords, never> => {
    const waiting = (): Waiting => {
      if (tenant === undefined) return ofAllTenants(connection, 'wake_at', now, limit);
      const rows = ofTenant(connection, 'wake_at', escapeName(tenant), now, limit);
      return { rows, hasMore: rows.length === limit };
    };
    const { rows, hasMore } = waiting();
    for (const { number } of rows) connection.run(MOVE, finite(until), Number(number));
    const records = loadSessions(connection, rows, LIGHT);
    return ok(claimedRecords(dueSessionsIn(rows, hasMore, 'wake_at'), records));
  });
