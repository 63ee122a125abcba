import Database from 'libsql';
import { describe, test } from 'vitest';
import { escapeText, sqlStore, tables } from '../../examples/store/sql-store.js';
import type { SessionStore } from '../../src/index.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';

const damages = {
  state: `UPDATE sessions SET state = '{"sta' WHERE tenant = ? AND id = ? RETURNING number`,
  head: `UPDATE sessions SET head = '{"id' WHERE tenant = ? AND id = ? RETURNING number`,
  history: `UPDATE entries SET entry = '{' WHERE session = (
    SELECT number FROM sessions WHERE tenant = ? AND id = ?) RETURNING session`,
  inbox: `UPDATE messages SET entry = '{' WHERE entry IS NOT NULL AND session = (
    SELECT number FROM sessions WHERE tenant = ? AND id = ?) RETURNING session`,
};

describe("the example's SQL store", () => {
  const databases = new WeakMap<SessionStore, Database.Database>();
  const makeStore = () => {
    const database = new Database(':memory:');
    database.exec(tables);
    const store = sqlStore(database, true);
    databases.set(store, database);
    return { store, close: () => void database.close() };
  };
  describeSessionStore(withoutLargeCases(test), makeStore, {
    without: ['events'],
    corrupt: async (store, { tenant, id }, part) => {
      databases.get(store)?.prepare(damages[part]).all(escapeText(tenant), escapeText(id));
    },
  });
});
