import type { Fields } from '../../src/session/fields.js';
import type { Value } from './prepared-statements.js';

/** Tables whose rows get a number from a sequence. */
const TABLES = ['sessions', 'outbox'] as const;

export type Run = (sql: string, values?: readonly Value[]) => Promise<readonly Fields[]>;

const sequenceOf = (table: string): string => `pg_get_serial_sequence('$${table}', 'number')`;

/*
 * Reads the latest number of the rows first, because a create takes its number before it adds its
 * row. A role that may not read the sequence finds nothing; its creates then report the conflict.
 */
const behind = (table: string): string => `
  SELECT last
  FROM (SELECT max(number) AS last FROM $${table} OFFSET 0) AS rows
  WHERE has_sequence_privilege(${sequenceOf(table)}, 'SELECT, USAGE')
    AND last > coalesce(pg_sequence_last_value(${sequenceOf(table)}::regclass), 0)`;

/* Without the lock, a create could take a number between the read and the write. */
const move = (table: string): readonly string[] => [
  `LOCK TABLE $${table} IN SHARE ROW EXCLUSIVE MODE`,
  `SELECT setval(${sequenceOf(table)}, max(number))
    FROM $${table}
    HAVING max(number) > coalesce(pg_sequence_last_value(${sequenceOf(table)}::regclass), 0)`,
];

/**
 * Moves sequences past the numbers of the rows. Logical replication copies rows but not sequences,
 * so these begin again at 1 after a switchover.
 */
export const moveSequences = async (run: Run): Promise<void> => {
  for (const table of TABLES) {
    const found = await run(behind(table));
    if (found.length === 0) continue;
    for (const statement of move(table)) await run(statement);
  }
};
