// For runtimes with a server and files: the scenario, then the same over node:http, then a SQLite file if the runtime has a
// driver of its own, then the Redis at REDIS_URL, which it empties. Prints one line of JSON: what passed.
import { createServer } from 'node:http';
import { SessionService } from 'colloquy';
import { nodeListener } from 'colloquy/node';
import { RedisSessionStore } from 'colloquy/redis';
import { SqliteSessionStore } from 'colloquy/sqlite';
import { Redis } from 'ioredis';
import { converse, handlerInMemory, scenario, talk } from './scenario.js';

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

const openSqlite = async () => {
  if (globalThis.Bun !== undefined) return new (await import('bun:sqlite')).Database(':memory:');
  return new (await import('node:sqlite')).DatabaseSync(':memory:');
};

const inSqlite = async () => {
  const store = new SqliteSessionStore({ database: await openSqlite() });
  const migrated = store.migrate();
  if (migrated.isErr()) throw new Error(migrated.error.message);
  await converse(new SessionService({ store }));
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
