import type { Fields } from '../../src/session/fields.js';
import type {
  DueKey,
  DueSession,
  DueSessions,
  WaitingRange,
} from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import type { Query } from './query.js';

/** What is left of a removed session has a tenant and an id that no session has. */
export const storedKeyOf = (key: DueKey): { readonly tenant: string; readonly id: string } => {
  const tenant = escapeName(key.tenant);
  const id = escapeName(key.id);
  if (key.removal === undefined) return { tenant, id };
  return { tenant: `${tenant}:`, id: `${id}:${key.removal}` };
};

const dueSessionOf = (row: Fields, queue: Queue): DueSession => {
  const [tenant = ''] = String(row['tenant']).split(':');
  const [id = '', removal] = String(row['id']).split(':');
  const key = { tenant: unescapeName(tenant), id: unescapeName(id), dueAt: Number(row[queue]) };
  return removal === undefined ? key : { ...key, removal };
};

export const dueSessionsIn = (
  rows: readonly Fields[],
  hasMore: boolean,
  queue: Queue = 'due_at',
): DueSessions => ({
  sessions: rows.map((row) => dueSessionOf(row, queue)),
  failed: [],
  hasMore,
});

/** The column of a queue: when sessions are due, or wait for a worker. */
export type Queue = 'due_at' | 'wake_at';

/**
 * The second part makes the partial index usable. SQLite searches up to the first bound: if that
 * were `NEVER`, it would read every session with a time.
 */
export const isWaiting = (queue: Queue): string => `${queue} <= ? AND ${queue} < ${NEVER}`;

export const firstDue = (now: number, limit: number): Query => ({
  sql: `
    SELECT tenant, id, due_at
    FROM $sessions
    WHERE ${isWaiting('due_at')}
    ORDER BY due_at
    LIMIT ?`,
  values: [now, limit],
});

/** The first tenant in a queue, or with a condition the next tenant: one step in an index. */
const tenantIn = (queue: Queue, condition = ''): string => `
  SELECT min(tenant)
  FROM $sessions
  WHERE ${queue} < ${NEVER} ${condition}`;

/** `first_at`: the earliest time of a tenant's sessions for which the condition holds. */
const tenantsWith = (queue: Queue, condition: string, order: string): string => `
    WITH RECURSIVE tenants (tenant) AS (
      ${tenantIn(queue)}
      UNION ALL
      SELECT (${tenantIn(queue, 'AND tenant > tenants.tenant')})
      FROM tenants
      WHERE tenant IS NOT NULL
    )
    SELECT tenant, first_at
    FROM (
      SELECT tenant, (
        SELECT min(${queue})
        FROM $sessions AS found
        WHERE found.tenant = tenants.tenant AND ${condition}
      ) AS first_at
      FROM tenants
      WHERE tenant IS NOT NULL
    ) AS waiting
    WHERE first_at <= ?
    ORDER BY ${order}
    LIMIT ?`;

export const tenantsDue = (now: number, limit: number): Query => ({
  sql: tenantsWith('due_at', `due_at < ${NEVER}`, 'first_at, tenant'),
  values: [now, limit],
});

/** The condition of sessions that a claim may return: their expiry has not passed. */
export const CLAIMABLE = `${isWaiting('wake_at')} AND deadline > ?`;

/** First the tenants whose name follows the tenant that was served last, then the rest. */
export const tenantsInTurn = (now: number, limit: number): Query => ({
  sql: tenantsWith('wake_at', CLAIMABLE, 'tenant <= (SELECT tenant FROM $turn), tenant'),
  values: [now, now, now, limit],
});

/** `tenant`: a value or a column. */
const waitingOf = (tenant: string): string => `(
    SELECT 1
    FROM $sessions
    WHERE tenant = ${tenant} AND ${CLAIMABLE}
    LIMIT ?
  ) AS waiting`;

/** Without a tenant, counts tenant after tenant up to the limit, which the last one may exceed. */
export const waitingCount = ({ tenant, now, limit }: WaitingRange): Query => {
  if (tenant !== undefined) {
    const sql = `SELECT count(*) AS counted FROM ${waitingOf('?')}`;
    return { sql, values: [escapeName(tenant), now, now, limit] };
  }
  const sql = `
    WITH RECURSIVE tenants (tenant, counted) AS (
      SELECT (${tenantIn('wake_at')}), CAST(0 AS bigint)
      UNION ALL
      SELECT (${tenantIn('wake_at', 'AND tenant > tenants.tenant')}),
        counted + (SELECT count(*) FROM ${waitingOf('tenants.tenant')})
      FROM tenants
      WHERE tenant IS NOT NULL AND counted < ?
    )
    SELECT max(counted) AS counted FROM tenants`;
  return { sql, values: [now, now, limit, limit] };
};

export const countIn = ([row]: readonly Fields[], { limit }: WaitingRange): number =>
  Math.min(limit, Number(row?.['counted']));
