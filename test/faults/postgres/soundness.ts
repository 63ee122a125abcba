import { Client } from 'pg';
import type { PostgresDatabase } from '../databases/database.js';

/* What each query gives is wrong, and why. */
const CHECKS: Readonly<Record<string, string>> = {
  'a total by status is not the number of rows': `
    SELECT * FROM (SELECT tenant, status AS value, count(*) AS rows FROM sessions GROUP BY 1, 2) AS counted
      FULL JOIN (SELECT tenant, value, sum(sessions) AS kept FROM totals WHERE name = '' GROUP BY 1, 2) AS kept
        USING (tenant, value) WHERE coalesce(rows, 0) <> coalesce(kept, 0)`,
  'a total by label is not the number of rows': `
    SELECT * FROM (SELECT tenant, name, value, count(*) AS rows FROM labels GROUP BY 1, 2, 3) AS counted
      FULL JOIN (SELECT tenant, name, value, sum(sessions) AS kept FROM totals WHERE name <> '' GROUP BY 1, 2, 3) AS kept
        USING (tenant, name, value) WHERE coalesce(rows, 0) <> coalesce(kept, 0)`,
  'a history is not as long as its session says': `
    SELECT number FROM sessions LEFT JOIN (
      SELECT session, count(*) AS rows, max(position) AS last, sum(bytes) AS total FROM entries GROUP BY 1
    ) AS history ON session = number
    WHERE entries <> coalesce(rows, 0) OR entries <> coalesce(last, 0) OR bytes <> coalesce(total, 0)`,
  'a session has no label':
    'SELECT id FROM sessions WHERE number NOT IN (SELECT session FROM labels)',
  'something is left of a session that is gone': `
    SELECT session FROM (SELECT session FROM entries UNION SELECT session FROM operations UNION SELECT session FROM labels)
      AS parts WHERE session NOT IN (SELECT number FROM sessions)`,
  'an operation has no entry at its position': `
    SELECT operation FROM operations AS done WHERE NOT EXISTS
      (SELECT 1 FROM entries WHERE session = done.session AND position = done.position)`,
};

/* Fails if an index is damaged, or lacks a row of its table. */
const CHECK_INDEXES = `SELECT public.bt_index_check(indexrelid, true) FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = current_schema()::regnamespace`;

/** What is wrong with a schema of sessions that each have a label: its indexes, its rows. */
export const unsoundIn = async ({ url, schema }: PostgresDatabase): Promise<readonly string[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public');
    await client.query(`SET search_path = "${schema}"`);
    const unsound: string[] = [];
    for (const [what, query] of Object.entries(CHECKS)) {
      const { rows } = await client.query<Record<string, unknown>>(query);
      if (rows.length > 0) unsound.push(`${what}: ${JSON.stringify(rows)}`);
    }
    await client.query(CHECK_INDEXES).catch((error: unknown) => unsound.push(String(error)));
    return unsound;
  } finally {
    await client.end();
  }
};
