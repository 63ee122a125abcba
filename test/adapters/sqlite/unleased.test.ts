import { expect, test } from 'vitest';
import { unleasedPositions } from '../../../adapters/sql/unleased-positions.js';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { headOf, live, NOON } from '../../../src/testing/samples.js';
import { openLibsql } from '../../support/sqlite-file.js';

const range = { status: 'ACTIVE', now: NOON, limit: 10 } as const;

test('sessions that nobody holds are found in their index, in its order, on the first page and after a place', async () => {
  const database = openLibsql(':memory:');
  const store = new SqliteSessionStore({ database, leaseIndex: true });
  store.migrate()._unsafeUnwrap();
  (await store.insert('acme', headOf('one'), live('ACTIVE')))._unsafeUnwrap();
  for (const after of [undefined, { since: NOON, id: 'one' }]) {
    const { sql, values } = unleasedPositions('colloquy_', 'acme', { ...range, after });
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values));
    expect(plan).toContain('colloquy_sessions_by_wait');
    expect(plan).not.toContain('TEMP B-TREE');
  }
});

test('the index is made by a later migration too, with the sessions that are there', async () => {
  const database = openLibsql(':memory:');
  const before = new SqliteSessionStore({ database });
  before.migrate()._unsafeUnwrap();
  (await before.insert('acme', headOf('one'), live('ACTIVE')))._unsafeUnwrap();
  expect(before.unleased('acme', range)._unsafeUnwrapErr()).toEqual({
    type: 'misconfigured',
    message: 'SqliteSessionStore: unleased needs the option leaseIndex',
  });
  const store = new SqliteSessionStore({ database, leaseIndex: true });
  store.migrate({ reconfigure: true })._unsafeUnwrap();
  store.migrate()._unsafeUnwrap();
  expect(store.unleased('acme', range)._unsafeUnwrap().records).toMatchObject([{ head: { id: 'one' } }]);
});
