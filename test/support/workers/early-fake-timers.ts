import process from 'node:process';
import Database from 'libsql';

/*
 * Replaces the timers before it loads the package, as Jest does with `enableGlobally`, and prints
 * what works with them. A call that never settles ends the process without its line.
 */

const { argv, nextTick } = process;
const [, , fakedBy, channel] = argv;
const names = ['Timeout', 'Interval', 'Immediate'].flatMap((of) => [`set${of}`, `clear${of}`]);

/** Jest’s and Vitest’s fakes keep the names, and have a clock. */
const fakeOf = (name: string) => {
  const fake = () => 0;
  if (fakedBy === 'hand') return fake;
  return Object.defineProperty(Object.assign(fake, { clock: {} }), 'name', { value: name });
};

for (const name of names) Reflect.set(globalThis, name, fakeOf(name));
if (channel === 'no channel') Reflect.set(globalThis, 'MessageChannel', undefined);
process.nextTick = fakeOf('nextTick');

const load = async () => {
  const { SessionService, unwrap } = await import('../../../src/index.js');
  const { MemorySessionStore } = await import('../../../adapters/memory/index.js');
  const { SqliteSessionStore } = await import('../../../adapters/sqlite/index.js');
  const { atEndOfTurn } = await import('../../../adapters/lanes/end-of-turn.js');
  const { TenantQuota } = await import('../../../src/http/tenant-quota.js');
  // Node itself needs the real function.
  process.nextTick = nextTick;
  return {
    SessionService,
    unwrap,
    MemorySessionStore,
    SqliteSessionStore,
    atEndOfTurn,
    TenantQuota,
  };
};

const run = async (): Promise<void> => {
  const colloquy = await load();
  const sqlite = new colloquy.SqliteSessionStore({ database: new Database(':memory:') });
  await colloquy.unwrap(sqlite.migrate());
  const stores = { memory: new colloquy.MemorySessionStore(), sqlite };
  for (const [name, store] of Object.entries(stores)) {
    const sessions = new colloquy.SessionService({ store }).orThrow;
    const { id } = await sessions.create({ start: true });
    for (let count = 0; count < 200; count += 1)
      await sessions.append(id, [{ role: 'user', content: 'Hello' }]);
    console.log(name);
  }
  await new Promise<void>((resolve) => colloquy.atEndOfTurn(resolve));
  console.log('lane');
  const { admit, waitToWrite } = new colloquy.TenantQuota(2 ** 30).reserve('acme');
  admit(2 ** 20);
  await waitToWrite();
  console.log('answer');
};

void run();
