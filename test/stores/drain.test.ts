import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { describeDatabases } from '../support/databases.js';
import { ada, okOf } from '../support/sessions.js';

describeDatabases('drain', (kind) => {
  test('settles when operations that nobody has awaited no longer need the database', async () => {
    const database = await kind.create();
    const store = database.open();
    const sessions = new SessionService({ store });
    const ids: string[] = [];
    for (let count = 0; count < 50; count += 1) ids.push((await okOf(sessions.create(ada))).id);
    const updates = ids.map((id) => sessions.update(id, { labels: { user: 'u-1' } }));
    await store.drain?.();
    await database.close();
    for (const update of updates) await okOf(update);
  });
});

test('drain of a store in memory settles', async () => {
  expect(await new MemorySessionStore().drain()).toBeUndefined();
});
