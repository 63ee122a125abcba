import { ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import type { Fields } from '../../src/input/values.js';
import { unescapeName } from '../../src/store/escape-name.js';
import { NEVER } from '../../src/store/never.js';
import type { DueSession, DueSessions } from '../../src/store/session-store.js';
import type { Connection } from './connection.js';

const FIRST_DUE = `SELECT tenant, id, due_at FROM colloquy_sessions WHERE due_at < ${NEVER} AND due_at <= ?
  ORDER BY due_at LIMIT ?`;

/* Goes from tenant to tenant in the index: a step for each tenant, however many sessions it has. */
const TENANTS_DUE = `
WITH RECURSIVE tenants (tenant) AS (
  SELECT min(tenant) FROM colloquy_sessions WHERE due_at < ${NEVER}
  UNION ALL
  SELECT (SELECT min(tenant) FROM colloquy_sessions WHERE due_at < ${NEVER} AND tenant > tenants.tenant)
    FROM tenants WHERE tenant IS NOT NULL
)
SELECT tenant, first_due FROM (
  SELECT tenant, (
    SELECT min(due_at) FROM colloquy_sessions AS session
      WHERE session.due_at < ${NEVER} AND session.tenant = tenants.tenant
  ) AS first_due FROM tenants WHERE tenant IS NOT NULL
) WHERE first_due <= ? ORDER BY first_due, tenant LIMIT ?`;

const DUE_OF_TENANT = `SELECT tenant, id, due_at FROM colloquy_sessions
  WHERE tenant = ? AND due_at < ${NEVER} AND due_at <= ? ORDER BY due_at LIMIT ?`;

const sessionOf = (row: Fields): DueSession => ({
  tenant: unescapeName(String(row['tenant'])),
  id: unescapeName(String(row['id'])),
  dueAt: Number(row['due_at']),
});

/** Reads the due sessions. Only if more are due than `limit`, they are shared out between the tenants. */
export const readDue = (connection: Connection, now: number, limit: number): Result<DueSessions, StoreUnavailable> =>
  connection.read((): Result<DueSessions, never> => {
    const first = connection.all(FIRST_DUE, now, limit + 1);
    if (first.length <= limit) return ok({ sessions: first.map(sessionOf), failed: [], hasMore: false });
    const tenants = connection.all(TENANTS_DUE, now, limit);
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const sessions = tenants
      .flatMap(({ tenant }) => connection.all(DUE_OF_TENANT, String(tenant), now, share))
      .map(sessionOf)
      .sort((a, b) => a.dueAt - b.dueAt);
    return ok({ sessions, failed: [], hasMore: true });
  });
