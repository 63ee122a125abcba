import type { Fields } from '../../src/input/parse-fields.js';
import type { DueSession } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { NEVER } from '../shared/never.js';
import { IS_DUE, type Query } from './page-query.js';

/** Rows with `tenant` and `due_at`: the sessions, or the ends that must be reported. */
export interface DueTable {
  readonly name: string;
  readonly columns: string;
}

export const dueSessions = (prefix: string): DueTable => ({ name: `${prefix}sessions`, columns: 'tenant, id, due_at' });

export const dueEnds = (prefix: string): DueTable => ({
  name: `${prefix}ends`,
  columns: 'tenant, id, incarnation, due_at, removed_ms, last_activity, state',
});

/** The longest overdue rows of all tenants. */
export const firstDue = ({ name, columns }: DueTable, now: number, limit: number): Query => ({
  sql: `
    SELECT ${columns}
    FROM ${name}
    WHERE ${IS_DUE}
    ORDER BY due_at
    LIMIT ?`,
  values: [now, limit],
});

/** The tenants with due rows. Takes one step in an index for each tenant, independent of its number of rows. */
export const tenantsDue = ({ name }: DueTable, now: number, limit: number): Query => ({
  sql: `
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
    LIMIT ?`,
  values: [now, limit],
});

/** The due rows of one tenant. */
export const dueOfTenant = ({ name, columns }: DueTable, tenant: string, now: number, limit: number): Query => ({
  sql: `
    SELECT ${columns}
    FROM ${name}
    WHERE tenant = ? AND ${IS_DUE}
    ORDER BY due_at
    LIMIT ?`,
  values: [tenant, now, limit],
});

export const dueSessionOf = (row: Fields): DueSession => ({
  tenant: unescapeName(String(row['tenant'])),
  id: unescapeName(String(row['id'])),
  dueAt: Number(row['due_at']),
});
