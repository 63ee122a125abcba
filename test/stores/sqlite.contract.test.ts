import { describe, test } from 'vitest';
import { SqliteSessionStore, type SqliteSessionStoreOptions } from '../../adapters/sqlite/index.js';
import { escapeName } from '../../adapters/stored/escape-name.js';
import { type Corrupt, describeSessionStore, type OpenedStore } from '../../src/testing/index.js';
import { isElsewhere, isLong } from '../support/continuous-integration.js';
import { forFurtherClients, withoutLargeCases } from '../support/contract-cases.js';
import { reasonToSkip } from '../support/requirements.js';
import { type SqliteConnection, sqliteDrivers } from '../support/sqlite-drivers.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

type Options = Omit<SqliteSessionStoreOptions, 'database'>;

const OF_KEY = '(SELECT number FROM colloquy_sessions WHERE tenant = ? AND id = ?)';

const damages = {
  state: `UPDATE colloquy_sessions SET state = '{"status":"FROM THE FUTURE"}' WHERE number = ${OF_KEY}`,
  head: `UPDATE colloquy_heads SET head = '[]' WHERE session = ${OF_KEY}`,
  history: `UPDATE colloquy_entries SET entry = '{"role":"user","cont' WHERE session = ${OF_KEY}`,
  inbox: `UPDATE colloquy_messages SET entry = '{' WHERE entry IS NOT NULL AND session = ${OF_KEY}`,
};

/** `open` returns a connection; a store in a file gets a second one. */
const describeOn = (open: (file: string) => SqliteConnection, isInFile: boolean): void => {
  const isFirst = isInFile && open === openLibsql;
  const opened = new WeakMap<SqliteSessionStore, SqliteConnection>();
  const make = async (options: Options = {}): Promise<OpenedStore<SqliteSessionStore>> => {
    const { file, remove } = sqliteFile();
    const databases = isInFile ? [open(file), open(file)] : [open(':memory:')];
    const stores = databases.map((database) => {
      const store = new SqliteSessionStore({ database, ...options });
      opened.set(store, database);
      return store;
    });
    const [store = new SqliteSessionStore({ database: open(file) }), second] = stores;
    (await store.migrate())._unsafeUnwrap();
    const close = () => {
      for (const database of databases) database.close();
      remove();
    };
    return { store, second, close };
  };
  const corrupt: Corrupt<SqliteSessionStore> = async (store, { tenant, id }, part) => {
    opened.get(store)?.prepare(damages[part]).run(escapeName(tenant), escapeName(id));
  };
  // PostgreSQL runs the same statements on many sessions in half the time.
  const first = isLong ? test : withoutLargeCases(test);
  describeSessionStore(isFirst ? first : forFurtherClients(test), () => make({ events: true }), {
    corrupt,
    without: ['listen'],
  });

  if (isFirst || isLong)
    describe('without events', () => {
      describeSessionStore(forFurtherClients(test), make, { corrupt, without: ['events'] });
    });
};

// libsql was tried on the first Node, which has no node:sqlite.
const drivers = sqliteDrivers.filter(({ open }) => !(isElsewhere && open === openLibsql));

describe.each(drivers)('SqliteSessionStore on $name', ({ open, needs }) => {
  if (needs !== undefined && !needs.isMet()) {
    test.skip(reasonToSkip(needs));
    return;
  }
  describe('in a file', () => describeOn(open, true));
  // In memory, only the statements are tested.
  if (isLong && open === openLibsql) describe('in memory', () => describeOn(open, false));
});
