import { ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { hasRunOut } from '../../src/session/work-state.js';
import type {
  DueSessions,
  ReadSize,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import {
  type ClaimReads,
  claimedRecords,
  claimedTogether,
  ENDED_AT_ONCE,
  ENDED_MS,
  lastServed,
} from '../../src/store/taken-records.js';
import {
  CLAIMABLE,
  countIn,
  dueSessionsIn,
  firstDue,
  isWaiting,
  type Queue,
  tenantsDue,
  tenantsInTurn,
  waitingCount,
} from '../sql/queue-query.js';
import { escapeName } from '../stored/escape-name.js';
import { finite, NEVER } from '../stored/infinite-times.js';
import { type Connection, hasKey } from './connection.js';
import { loadSessions } from './load-sessions.js';

interface QueueRange {
  readonly queue: Queue;
  readonly condition: string;
  /** The values of the condition. */
  readonly now: readonly number[];
  readonly limit: number;
}

const MOVE = 'UPDATE $sessions SET wake_at = ? WHERE number = ?';
const FORGET_ENDED = `
  UPDATE $sessions
  SET wake_at = ${NEVER}
  WHERE number IN (
    SELECT number
    FROM $sessions
    WHERE deadline <= ? AND wake_at < ${NEVER}
    ORDER BY deadline
    LIMIT ?
  )`;
const SERVED = 'UPDATE $turn SET tenant = ?';

/** Sessions without their entries. */
const LIGHT = { historyLimit: 0 } satisfies ReadSize;

/** The tenants share the limit. */
const sessionsOf = (
  connection: Connection,
  tenants: readonly string[],
  { queue, condition, now, limit }: QueueRange,
): readonly Fields[] => {
  const share = Math.max(1, Math.floor(limit / tenants.length));
  const sql = `
    SELECT number, tenant, id, ${queue}
    FROM $sessions
    WHERE tenant = ? AND ${condition}
    ORDER BY ${queue}
    LIMIT ?`;
  return tenants.flatMap((tenant) =>
    connection.query({ sql, values: [tenant, ...now, share] }, hasKey({ tenant })),
  );
};

const tenantsIn = (rows: readonly Fields[]): readonly string[] =>
  rows.map(({ tenant }) => String(tenant));

const byTime = (queue: Queue) => (a: Fields, b: Fields) => Number(a[queue]) - Number(b[queue]);

export const readDue = (
  connection: Connection,
  now: number,
  limit: number,
): Result<DueSessions, StoreError> =>
  connection.read(() => {
    const first = connection.query(firstDue(now, limit + 1));
    if (first.length <= limit) return ok(dueSessionsIn(first, false));
    const tenants = tenantsIn(connection.query(tenantsDue(now, limit)));
    const range = { queue: 'due_at', condition: isWaiting('due_at'), now: [now], limit } as const;
    const rows = sessionsOf(connection, tenants, range);
    return ok(dueSessionsIn(rows.toSorted(byTime('due_at')), rows.length > 0));
  });

export const countWaiting = (
  connection: Connection,
  range: WaitingRange,
): Result<number, StoreError> =>
  connection.read(() => ok(countIn(connection.query(waitingCount(range)), range)));

/** A claim of all tenants takes its turn like a tenant. No tenant has an empty name. */
const ALL_TENANTS = '';

interface Waiting {
  readonly row: Fields;
  readonly record: ClaimReads[number];
}

/** In the order of their tenants. */
const waitingOf = (
  connection: Connection,
  tenants: readonly string[],
  { now, limit }: TakeRange,
): readonly Waiting[] => {
  const range = { queue: 'wake_at', condition: CLAIMABLE, now: [now, now], limit } as const;
  const rows = sessionsOf(connection, tenants, range);
  const records = loadSessions(connection, rows, LIGHT);
  return rows.flatMap((row, at) => {
    const record = records[at];
    return record === undefined ? [] : [{ row, record }];
  });
};

export const takeSessions = (
  connection: Connection,
  range: TakeRange,
): Promise<Result<TakenRecords, StoreError>> =>
  connection.write(range.tenant ?? ALL_TENANTS, (): Result<TakenRecords, never> => {
    const { tenant, now, until, limit, inCompany } = range;
    connection.run(FORGET_ENDED, now - ENDED_MS, ENDED_AT_ONCE);
    const inTurn = () => tenantsIn(connection.query(tenantsInTurn(now, limit)));
    const tenants = tenant === undefined ? inTurn() : [escapeName(tenant)];
    const waiting = waitingOf(connection, tenants, range);
    const isAlone = ({ record }: Waiting) =>
      record.map((found) => found !== undefined && hasRunOut(found.state, now)).unwrapOr(false);
    const claimed = claimedTogether(waiting, isAlone, inCompany).toSorted((a, b) =>
      byTime('wake_at')(a.row, b.row),
    );
    const rows = claimed.map(({ row }) => row);
    for (const { number } of rows) connection.run(MOVE, finite(until), Number(number));
    const served = new Set(tenantsIn(rows));
    const last = tenant === undefined ? lastServed(tenants, (each) => served.has(each)) : undefined;
    if (last !== undefined) connection.run(SERVED, last);
    return ok(
      claimedRecords(
        dueSessionsIn(rows, rows.length > 0, 'wake_at'),
        claimed.map(({ record }) => record),
      ),
    );
  });
