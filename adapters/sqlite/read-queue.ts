import { ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { ClaimRange, DueSessions, WaitingRange } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { finite } from '../shared/never.js';
import {
  countIn,
  dueSessionsIn,
  firstDue,
  type Queue,
  tenantsWaiting,
  waitingCount,
  waitingOfTenant,
} from '../sql/queue-query.js';
import { type Connection, PREFIX } from './connection.js';

/** Rows of a queue, and whether there may be more. */
interface Waiting {
  readonly rows: readonly Fields[];
  readonly hasMore: boolean;
}

const MOVE = 'UPDATE colloquy_sessions SET wake_at = ? WHERE number = ?';

const ofTenant = (
  connection: Connection,
  queue: Queue,
  tenant: string,
  now: number,
  limit: number,
): readonly Fields[] =>
  connection.query(
    waitingOfTenant(PREFIX, queue, tenant, now, limit),
    ({ tenant: found }) => found === tenant,
  );

/** The sessions of all tenants. The limit is shared between the tenants. */
const ofAllTenants = (
  connection: Connection,
  queue: Queue,
  now: number,
  limit: number,
): Waiting => {
  const tenants = connection.query(tenantsWaiting(PREFIX, queue, now, limit));
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const rows = tenants
    .flatMap(({ tenant }) => ofTenant(connection, queue, String(tenant), now, share))
    .sort((a, b) => Number(a['due_at']) - Number(b['due_at']));
  return { rows, hasMore: rows.length > 0 };
};

/** Reads the sessions that are due. */
export const readDue = (
  connection: Connection,
  now: number,
  limit: number,
): Result<DueSessions, StoreError> =>
  connection.read(() => {
    const first = connection.query(firstDue(PREFIX, now, limit + 1));
    if (first.length <= limit) return ok(dueSessionsIn(first, false));
    const { rows, hasMore } = ofAllTenants(connection, 'due_at', now, limit);
    return ok(dueSessionsIn(rows, hasMore));
  });

/** Counts the sessions that want a worker. */
export const countWaiting = (
  connection: Connection,
  range: WaitingRange,
): Result<number, StoreError> =>
  connection.read(() => ok(countIn(connection.query(waitingCount(PREFIX, range)), range)));

/** Reads the sessions that want a worker, and moves them to `until`. */
export const claimSessions = (
  connection: Connection,
  { tenant, now, until, limit }: ClaimRange,
): Promise<Result<DueSessions, StoreError>> =>
  connection.write((): Result<DueSessions, never> => {
    const waiting = (): Waiting => {
      if (tenant === undefined) return ofAllTenants(connection, 'wake_at', now, limit);
      const rows = ofTenant(connection, 'wake_at', escapeName(tenant), now, limit);
      return { rows, hasMore: rows.length === limit };
    };
    const claimed = waiting();
    for (const { number } of claimed.rows) connection.run(MOVE, finite(until), Number(number));
    return ok(dueSessionsIn(claimed.rows, claimed.hasMore));
  });
