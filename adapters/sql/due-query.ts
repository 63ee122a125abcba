import type { Fields } from '../../src/input/values.js';
import { unescapeName } from '../../src/store/escape-name.js';
import { NEVER } from '../../src/store/never.js';
import type { DueSession } from '../../src/store/session-store.js';
import { IS_DUE, type Query } from './page-query.js';

/** The sessions that are due first, of all tenants. */
export const firstDue = (prefix: string, now: number, limit: number): Query => ({
  sql: `SELECT tenant, id, due_at FROM ${prefix}sessions WHERE ${IS_DUE}
    ORDER BY due_at LIMIT ?`,
  values: [now, limit],
});

/** The tenants with due sessions. Goes from tenant to tenant in an index: a step for each, however many sessions it has. */
export const tenantsDue = (prefix: string, now: number, limit: number): Query => ({
  sql: `
    WITH RECURSIVE tenants (tenant) AS (
      SELECT min(tenant) FROM ${prefix}sessions WHERE due_at < ${NEVER}
      UNION ALL
      SELECT (SELECT min(tenant) FROM ${prefix}sessions WHERE due_at < ${NEVER} AND tenant > tenants.tenant)
        FROM tenants WHERE tenant IS NOT NULL
    )
    SELECT tenant, first_due FROM (
      SELECT tenant, (
        SELECT min(due_at) FROM ${prefix}sessions AS session
          WHERE session.due_at < ${NEVER} AND session.tenant = tenants.tenant
      ) AS first_due FROM tenants WHERE tenant IS NOT NULL
    ) AS due WHERE first_due <= ? ORDER BY first_due, tenant LIMIT ?`,
  values: [now, limit],
});

/** The due sessions of one tenant. */
export const dueOfTenant = (prefix: string, tenant: string, now: number, limit: number): Query => ({
  sql: `SELECT tenant, id, due_at FROM ${prefix}sessions
    WHERE tenant = ? AND ${IS_DUE} ORDER BY due_at LIMIT ?`,
  values: [tenant, now, limit],
});

export const dueSessionOf = (row: Fields): DueSession => ({
  tenant: unescapeName(String(row['tenant'])),
  id: unescapeName(String(row['id'])),
  dueAt: Number(row['due_at']),
});
