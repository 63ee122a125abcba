import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import type { SqliteDatabase } from '../databases/database.js';

/**
 * A file with the tables of the store, in a folder of its own or in `folder`. It goes with the
 * test.
 */
export const makeFile = async (
  options: Omit<SqliteDatabase, 'kind' | 'file'> = {},
  folder?: string,
  reportEnds = false,
) => {
  const own = sqliteFile();
  onTestFinished(own.remove);
  const file = folder === undefined ? own.file : join(folder, 'sessions.db');
  const connection = openLibsql(file);
  (
    await new SqliteSessionStore({ database: connection, events: true, reportEnds }).migrate()
  )._unsafeUnwrap();
  connection.close();
  const database: SqliteDatabase = { kind: 'sqlite', file, ...options };
  return { database, file };
};
