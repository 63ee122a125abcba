import { expect, test } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { NEVER } from '../../../adapters/stored/infinite-times.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, live, NOON } from '../../../src/testing/samples.js';
import { openLibsql } from '../../support/sqlite-file.js';

/**
 * A store with three overdue sessions, and how SQLite runs each statement that looks for due ones.
 */
const openOverdue = async () => {
  const database = openLibsql(':memory:');
  const programs: string[] = [];
  const explaining: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      if (sql.includes('due_at <= ?')) {
        const steps = database.prepare(`EXPLAIN ${sql.replaceAll('?', '0')}`).all();
        programs.push(steps.map((step) => Object.values(Object(step)).join(' ')).join('\n'));
      }
      return database.prepare(sql);
    },
  };
  const store = new SqliteSessionStore({ database: explaining });
  (await store.migrate())._unsafeUnwrap();
  for (const id of ['one', 'two', 'three']) {
    await begin(store, keyOf(id), { state: live('ACTIVE', { deadline: NOON }) });
  }
  programs.length = 0;
  return { store, programs };
};

test.each(['ACTIVE', 'TERMINATED'] as const)(
  'a SQLite list of %s reads no session that is not due yet',
  async (status) => {
    const { store, programs } = await openOverdue();
    store
      .page('acme', { offset: 0, limit: 10, status: { anyOf: [status], now: NOON + 1 } })
      ._unsafeUnwrap();
    expect(programs.length).toBeGreaterThan(0);
    expect(programs.join('\n')).not.toContain(String(NEVER));
  },
);

test('a SQLite sweep reads no session that is not due yet', async () => {
  const { store, programs } = await openOverdue();
  expect(store.due(NOON + 1, 2)._unsafeUnwrap()).toMatchObject({
    sessions: [{}, {}],
    hasMore: true,
  });
  // All tenants together, and since more are due than it asked for, each tenant by itself.
  expect(programs).toHaveLength(2);
  expect(programs.join('\n')).not.toContain(String(NEVER));
});
