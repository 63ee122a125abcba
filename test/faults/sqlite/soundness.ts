import { openLibsql } from '../../support/sqlite-file.js';

/* What each query gives is wrong, and why. */
const CHECKS: Readonly<Record<string, string>> = {
  'a total by status is not the number of rows': `
    SELECT * FROM (SELECT tenant, status AS value, count(*) AS rows FROM colloquy_sessions GROUP BY 1, 2) AS counted
      FULL JOIN (SELECT tenant, value, sessions FROM colloquy_totals WHERE name = '') AS kept
        ON counted.tenant = kept.tenant AND counted.value = kept.value
      WHERE coalesce(counted.rows, 0) <> coalesce(kept.sessions, 0)`,
  'a total by label is not the number of rows': `
    SELECT * FROM (SELECT tenant, name, value, count(*) AS rows FROM colloquy_labels GROUP BY 1, 2, 3) AS counted
      FULL JOIN (SELECT tenant, name, value, sessions FROM colloquy_totals WHERE name <> '') AS kept
        ON counted.tenant = kept.tenant AND counted.name = kept.name AND counted.value = kept.value
      WHERE coalesce(counted.rows, 0) <> coalesce(kept.sessions, 0)`,
  'a history is not as long as its session says': `
    SELECT number, entries, (SELECT count(*) FROM colloquy_entries WHERE session = number) AS rows,
        (SELECT max(position) FROM colloquy_entries WHERE session = number) AS last,
        (SELECT sum(bytes) FROM colloquy_entries WHERE session = number) AS all_bytes, bytes
      FROM colloquy_sessions WHERE entries <> rows OR entries <> coalesce(last, 0) OR bytes <> coalesce(all_bytes, 0)`,
  'a session has no head or no label': `
    SELECT id FROM colloquy_sessions WHERE number NOT IN (SELECT session FROM colloquy_heads)
      OR number NOT IN (SELECT session FROM colloquy_labels)`,
  'something is left of a session that is gone': `
    SELECT session FROM (SELECT session FROM colloquy_heads UNION SELECT session FROM colloquy_entries
      UNION SELECT session FROM colloquy_operations UNION SELECT session FROM colloquy_labels)
      WHERE session NOT IN (SELECT number FROM colloquy_sessions)`,
  'an operation has no entry at its position': `
    SELECT operation FROM colloquy_operations AS done WHERE NOT EXISTS
      (SELECT 1 FROM colloquy_entries WHERE session = done.session AND position = done.position)`,
};

/**
 * What is wrong with a file of sessions that each have a label: its pages, its indexes, its rows.
 */
export const unsoundIn = (file: string): readonly string[] => {
  const database = openLibsql(file);
  try {
    const integrity = JSON.stringify(database.prepare('PRAGMA integrity_check').all());
    const rows = Object.entries(CHECKS).flatMap(([what, query]) => {
      const found: unknown = database.prepare(query).all();
      return Array.isArray(found) && found.length === 0
        ? []
        : [`${what}: ${JSON.stringify(found)}`];
    });
    return integrity === '[{"integrity_check":"ok"}]' ? rows : [integrity, ...rows];
  } finally {
    database.close();
  }
};
