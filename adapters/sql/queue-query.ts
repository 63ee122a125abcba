import type { Fields } from '../../src/input/parse-fields.js';
import type {
  DueKey,
  DueSession,
  DueSessions,
  WaitingRange,
} from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import type { Query } from './query.js';

/**
 * The tenant and the id of a row, as they are stored. What is left of a removed session has a
 * tenant and an id that no session has.
 */
export const storedKeyOf = (key: DueKey): { readonly tenant: string; readonly id: string } => {
  const tenant = escapeName(key.tenant);
  const id = escapeName(key.id);
  if (key.removal === undefined) return { tenant, id };
  return { tenant: `${tenant}:`, id: `${id}:${key.removal}` };
};

/** The session of a row of a queue. */
const dueSessionOf = (row: Fields, queue: Queue): DueSession => {
  const [tenant = ''] = String(row['tenant']).split(':');
  const [id = '', removal] = String(row['id']).split(':');
  const key = { tenant: unescapeName(tenant), id: unescapeName(id), dueAt: Number(row[queue]) };
  return removal === undefined ? key : { ...key, removal };
};

/** The sessions of rows of a queue. */
export const dueSessionsIn = (
  rows: readonly Fields[],
  hasMore: boolean,
  queue: Queue = 'due_at',
): DueSessions => ({
  sessions: rows.map((row) => dueSessionOf(row, queue)),
  failed: [],
  hasMore,
});

/** The column of a queue: the sessions that are due, or those that wait for a worker. */
export type Queue = 'due_at' | 'wake_at';

/**
 * The condition of sessions whose time has come. Its second part makes the partial index usable.
 * SQLite searches up to the bound that is written first: if that were `NEVER`, it would read every
 * session with a time.
 */
export const isWaiting = (queue: Queue): string => `${queue} <= ? AND ${queue} < ${NEVER}`;

/** The longest overdue sessions of all tenants. */
export const firstDue = (now: number, limit: number): Query => ({
  sql: `
    SELECT tenant, id, due_at
    FROM $sessions
    WHERE ${isWaiting('due_at')}
    ORDER BY due_at
    LIMIT ?`,
  values: [now, limit],
});

/** The first tenant in a queue, or the first one after another: one step in an index. */
const tenantIn = (queue: Queue, condition = ''): string => `
  SELECT min(tenant)
  FROM $sessions
  WHERE ${queue} < ${NEVER} ${condition}`;

/** The tenants with waiting sessions, the longest waiting first. */
export const tenantsWaiting = (queue: Queue, now: number, limit: number): Query => {
  const sql = `
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
        WHERE found.${queue} < ${NEVER} AND found.tenant = tenants.tenant
      ) AS first_at
      FROM tenants
      WHERE tenant IS NOT NULL
    ) AS waiting
    WHERE first_at <= ?
    ORDER BY first_at, tenant
    LIMIT ?`;
  return { sql, values: [now, limit] };
};

/** The sessions of a tenant, a value or a column, that wait for a worker. */
const waitingOf = (tenant: string): string => `(
    SELECT 1
    FROM $sessions
    WHERE tenant = ${tenant} AND ${isWaiting('wake_at')}
    LIMIT ?
  ) AS waiting`;

/**
 * Counts the sessions that wait for a worker: those of a tenant, or of one tenant after the other
 * until the limit is reached. The last one may exceed it.
 */
export const waitingCount = ({ tenant, now, limit }: WaitingRange): Query => {
  if (tenant !== undefined) {
    const sql = `SELECT count(*) AS counted FROM ${waitingOf('?')}`;
    return { sql, values: [escapeName(tenant), now, limit] };
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
  return { sql, values: [now, limit, limit] };
};

/** The number that `waitingCount` gives. */
export const countIn = ([row]: readonly Fields[], { limit }: WaitingRange): number =>
  Math.min(limit, Number(row?.['counted']));
