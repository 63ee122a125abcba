import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type SqliteDatabase, SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { isFields } from '../session/fields.js';
import { CliError, messageOf, UsageError, unwrap } from './cli-error.js';
import type { Database } from './database.js';
import { loadPackage } from './load-package.js';

const help = `  --sqlite FILE, $COLLOQUY_SQLITE  A SQLite file. Needs Node 22.13, or the package better-sqlite3 or
    libsql.
`;

type Driver = new (file: string) => SqliteDatabase & { close(): unknown };

const isDriver = (value: unknown): value is Driver => typeof value === 'function';

const exportOf = (loaded: unknown, name: string): unknown =>
  isFields(loaded) ? loaded[name] : undefined;

/**
 * The driver of Node 22.13 and later. Suppresses its warning, because an error of a command is one
 * line.
 */
const loadBuiltin = (): unknown => {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  const builtin: unknown = process.getBuiltinModule('node:sqlite');
  process.emitWarning = emitWarning;
  return exportOf(builtin, 'DatabaseSync');
};

const loadInstalled = async (name: string): Promise<unknown> => {
  const loaded: unknown = await loadPackage(name, () => import(name));
  return exportOf(loaded, 'default');
};

const loadDriver = async (): Promise<Driver> => {
  const driver =
    loadBuiltin() ?? (await loadInstalled('better-sqlite3')) ?? (await loadInstalled('libsql'));
  if (isDriver(driver)) return driver;
  throw new CliError(
    'SQLite needs a driver: use Node 22.13 or later, or run npm install better-sqlite3 (or libsql)',
  );
};

const SETTINGS = 'PRAGMA synchronous = FULL';
const READ_ONLY_SETTINGS = 'PRAGMA query_only = ON';

/** Only the owner can read the file. SQLite creates its log with the same permissions. */
const createPrivately = async (file: string): Promise<void> => {
  const handle = await open(file, 'a', 0o600);
  await handle.close();
};

/** A SQLite file. Creates or upgrades it, unless the use is read-only. */
export const sqlite: Database = {
  help,
  open: async ({ label, text }, { events = false, isReadOnly = false }) => {
    if (/^(:memory:|\w{2,}:.*)?$/s.test(text))
      throw new UsageError(`${label} must be the path of a file`);
    const storeName = `the SQLite file ${text}`;
    if (isReadOnly && !existsSync(text)) throw new CliError(`${storeName}: there is no such file`);
    const Connection = await loadDriver();
    try {
      if (!isReadOnly) await createPrivately(resolve(text));
      const database = new Connection(resolve(text));
      database.exec(isReadOnly ? READ_ONLY_SETTINGS : SETTINGS);
      const store = new SqliteSessionStore({ database, ...(events && { events }) });
      if (!isReadOnly) unwrap(storeName, await store.migrate());
      return {
        store,
        storeName,
        isShared: true,
        close: () => database.close(),
      };
    } catch (cause) {
      if (cause instanceof CliError) throw cause;
      throw new CliError(`${storeName}: ${messageOf(cause)}`, { cause });
    }
  },
};
