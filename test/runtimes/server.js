// For runtimes with a server and files: the scenario, then the same over node:http, then a SQLite file if the runtime has a
// driver of its own, then the Redis at REDIS_URL, which it empties. Prints one line of JSON: what passed.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SessionService } from 'colloquy';
import { nodeListener } from 'colloquy/node';
import { RedisSessionStore } from 'colloquy/redis';
import { SqliteSessionStore } from 'colloquy/sqlite';
import { Redis } from 'ioredis';
import { converse, expectEqual, handlerInMemory, okOf, scenario, talk } from './scenario.js';

const passed = [];
const attempt = async (name, run) => {
  const outcome = await run().then(
    () => 'yes',
    (error) => (error.code === 'ERR_UNKNOWN_BUILTIN_MODULE' ? '-' : `no: ${error.message}`),
  );
  passed.push([name, outcome]);
};

const overNodeHttp = async () => {
  const server = createServer(nodeListener(handlerInMemory()));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await talk(`http://127.0.0.1:${server.address().port}`, fetch);
  server.closeAllConnections?.();
  server.close();
};

const openSqlite = async (file) => {
  if (globalThis.Bun !== undefined) return new (await import('bun:sqlite')).Database(file);
  return new (await import('node:sqlite')).DatabaseSync(file);
};

const storeOn = async (database) => {
  const store = new SqliteSessionStore({ database });
  const migrated = await store.migrate();
  if (migrated.isErr()) throw new Error(migrated.error.message);
  return store;
};

/** A command of one tenant that a locked file refused, and then the same of another tenant. */
const afterAnError = async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'colloquy-locked-')), 'sessions.db');
  const database = await openSqlite(file);
  const sessions = new SessionService({ store: await storeOn(database) });
  const [acme, beta] = [sessions.forTenant('acme'), sessions.forTenant('beta')];
  const ids = [];
  for (const tenant of [acme, beta]) {
    const { id } = await okOf(tenant.create({ face: 'ada', profile: 'tutor' }));
    await okOf(tenant.start(id));
    ids.push(id);
  }
  const [one, two] = ids;
  await okOf(acme.append(one, [{ role: 'user', content: 'of acme' }]));
  await okOf(beta.append(two, [{ role: 'user', content: 'of beta' }]));
  database.exec('PRAGMA journal_mode = DELETE');
  database.exec('PRAGMA busy_timeout = 1');
  const other = await openSqlite(file);
  for (const call of [(tenant, id) => tenant.history(id), (tenant, id) => tenant.get(id)]) {
    other.exec('BEGIN EXCLUSIVE');
    expectEqual((await call(acme, one)).error?.type, 'store_unavailable', 'a locked file');
    other.exec('ROLLBACK');
    const { entries, history } = await okOf(call(beta, two));
    expectEqual((entries ?? history)[0].content, 'of beta', 'an answer after an error');
  }
  await okOf(beta.terminate(two));
  other.exec('BEGIN EXCLUSIVE');
  expectEqual((await acme.pause(one)).error?.type, 'store_unavailable', 'a locked file');
  other.exec('ROLLBACK');
  expectEqual(
    (await beta.pause(two)).error?.type,
    'invalid_transition',
    'a command after an error',
  );
  other.close();
  database.close();
  rmSync(dirname(file), { recursive: true });
};

const inSqlite = async () => {
  await converse(new SessionService({ store: await storeOn(await openSqlite(':memory:')) }));
  await afterAnError();
};

const inRedis = async () => {
  const client = new Redis(process.env.REDIS_URL);
  await client.flushall();
  await converse(new SessionService({ store: new RedisSessionStore({ client }) }));
  await client.quit();
};

await attempt('engine, handler, client', scenario);
await attempt('node:http', overNodeHttp);
await attempt('its own SQLite', inSqlite);
if (process.env.REDIS_URL !== undefined) await attempt('Redis, by ioredis', inRedis);
console.log(JSON.stringify(passed));
process.exit(0);
