import { DatabaseError, Pool } from 'pg';
import { fromNoon } from '../../clock.js';
import { expect } from '../suite.js';
import appendSql from './append-postgres.sql';
import createSql from './create-postgres.sql';
import { digestOf, eventOf, type FairAppend, type FairWrites, MAX_ENTRIES } from './fair-writes.js';
import tables from './tables-postgres.sql';

const FAR_MS = Number.MAX_SAFE_INTEGER;
const START =
  "UPDATE fair.sessions SET status = 'ACTIVE', deadline = $3 WHERE tenant = $1 AND id = $2";
const KNOWN = `SELECT digest FROM fair.sessions JOIN fair.operations ON session = number
  WHERE tenant = $1 AND id = $2 AND name = $3`;
/** What a broken unique key fails with. */
const UNIQUE_VIOLATION = '23505';

/** Asked only if an append was refused: few are. */
const earlierOutcome = async (
  pool: Pool,
  { tenant, id, name, entry }: FairAppend,
): Promise<string> => {
  const { rows } = await pool.query(KNOWN, [tenant, id, name]);
  if (rows[0] === undefined) return 'closed';
  return rows[0].digest === digestOf(entry) ? 'repeated' : 'mismatch';
};

const isRepeated = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;

/** One named statement a call, which each connection prepares once. */
export const fairOnPostgres = async (url: string): Promise<FairWrites> => {
  const pool = new Pool({ connectionString: url, idleTimeoutMillis: 0 });
  await pool.query(tables);
  return {
    create: async (tenant, { id, options }) => {
      const now = fromNoon.now();
      const deadline = now + options.time_limit * 1000;
      const event = eventOf.created({ tenant, id }, now);
      const values = [tenant, id, now, deadline, JSON.stringify(options), event];
      const { rowCount } = await pool.query({ name: 'fair-create', text: createSql, values });
      expect(rowCount === 1, 'created');
    },
    append: async (append) => {
      const { tenant, id, entry, name } = append;
      const now = fromNoon.now();
      const { role, content } = entry;
      const event = eventOf.appended(append, now);
      const values = [
        ...[tenant, id, now, MAX_ENTRIES, role, content, new Date(now).toISOString(), event],
        ...(name === '' ? [null, null] : [name, digestOf(entry)]),
      ];
      try {
        const { rowCount } = await pool.query({ name: 'fair-append', text: appendSql, values });
        return rowCount === 1 ? 'appended' : earlierOutcome(pool, append);
      } catch (error) {
        if (isRepeated(error)) return earlierOutcome(pool, append);
        throw error;
      }
    },
    start: (tenant, id) => pool.query(START, [tenant, id, FAR_MS]),
    close: () => pool.end(),
  };
};
