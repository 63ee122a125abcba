// With `fakeTimers: { enableGlobally: true }`, timers are fake before the package is loaded.
const { SessionService, unwrap } = require('colloquy');
const { MemorySessionStore } = require('colloquy/memory');
const { SqliteSessionStore } = require('colloquy/sqlite');
const Database = require('libsql');

/** More calls than complete in one turn of the event loop. */
const CALLS = 100;

const stores = {
  memory: async () => new MemorySessionStore(),
  SQLite: async () => {
    const store = new SqliteSessionStore({ database: new Database(':memory:') });
    await unwrap(store.migrate());
    return store;
  },
};

test('has fake timers', () => {
  expect(setImmediate).toHaveProperty('clock');
});

test.each(Object.entries(stores))('settles calls in %s', async (_, open) => {
  const sessions = new SessionService({ store: await open() }).orThrow;
  const { id } = await sessions.create({ start: true });
  for (let call = 0; call < CALLS; call += 1)
    await sessions.append(id, [{ role: 'user', content: 'Hello' }]);
  const say = () => sessions.append(id, [{ role: 'user', content: 'Hello' }]);
  await Promise.all(Array.from({ length: CALLS }, say));
  expect((await sessions.get(id)).historyCount).toBe(2 * CALLS);
});
