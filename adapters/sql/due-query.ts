import type { Fields } from '../../src/input/parse-fields.js';
import type { DueKey, DueSession, SessionKey } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { IS_DUE, type Query } from './page-query.js';

/** The key of what is left of a removed session: a tenant and an id that no session has. */
export const removedKeyOf = (
  { tenant, id }: SessionKey,
  removal: string,
): { readonly tenant: string; readonly id: string } => ({
  tenant: `${escapeName(tenant)}:`,
  id: `${escapeName(id)}:${removal}`,
});

/** The tenant and the id of a row, as they are stored. */
export const storedKeyOf = ({ removal, ...key }: DueKey): { readonly tenant: string; readonly id: string } => {
  if (removal !== undefined) return removedKeyOf(key, removal);
  return { tenant: escapeName(key.tenant), id: escapeName(key.id) };
};

/** The session of a row of these queries. */
export const dueSessionOf = (row: Fields): DueSession => {
  const [tenant = ''] = String(row['tenant']).split(':');
  const [id = '', removal] = String(row['id']).split(':');
  const key = { tenant: unescapeName(tenant), id: unescapeName(id), dueAt: Number(row['due_at']) };
  return removal === undefined ? key : { ...key, removal };
};

/** The longest overdue sessions of all tenants. */
export const firstDue = (prefix: string, now: number, limit: number): Query => ({
  sql: `
    SELECT tenant, id, due_at
    FROM ${prefix}sessions
    WHERE ${IS_DUE}
    ORDER BY due_at
    LIMIT ?`,
  values: [now, limit],
});

/**
 * The tenants with due sessions. Takes one step in an index for each tenant, independent of its
 * number of sessions.
 */
export const tenantsDue = (prefix: string, now: number, limit: number): Query => {
  const name = `${prefix}sessions`;
  const sql = `
    WITH RECURSIVE tenants (tenant) AS (
      SELECT min(tenant) FROM ${name} WHERE due_at < ${NEVER}
      UNION ALL
      SELECT (
        SELECT min(tenant)
        FROM ${name}
        WHERE due_at < ${NEVER} AND tenant > tenants.tenant
      )
      FROM tenants
      WHERE tenant IS NOT NULL
    )
    SELECT tenant, first_due
    FROM (
      SELECT tenant, (
        SELECT min(due_at)
        FROM ${name} AS found
        WHERE found.due_at < ${NEVER} AND found.tenant = tenants.tenant
      ) AS first_due
      FROM tenants
      WHERE tenant IS NOT NULL
    ) AS due
    WHERE first_due <= ?
    ORDER BY first_due, tenant
    LIMIT ?`;
  return { sql, values: [now, limit] };
};

/** The due sessions of one tenant. */
export const dueOfTenant = (prefix: string, tenant: string, now: number, limit: number): Query => ({
  sql: `
    SELECT tenant, id, due_at
    FROM ${prefix}sessions
    WHERE tenant = ? AND ${IS_DUE}
    ORDER BY due_at
    LIMIT ?`,
  values: [tenant, now, limit],
});
