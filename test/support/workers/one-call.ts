import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { RedisSessionStore } from '../../../adapters/redis/index.js';

const [version = '', port = '', timeoutMs = ''] = process.argv.slice(2);
// The last timer of the client, not of the store.
const options = { port: Number(port), disconnectTimeout: 10 };
const client = version === 'ioredis 6' ? new Redis6(options) : new Redis(options);
client.on('error', () => {});

const print = async (): Promise<void> => {
  const store = new RedisSessionStore({ client, prefix: 'one-call', timeoutMs: Number(timeoutMs) });
  const page = await store.page('acme', { offset: 0, limit: 10 });
  const key = { tenant: 'acme', id: 'one' };
  const removed = await store.remove({ key, guards: {}, effects: { events: [] } });
  console.log(
    JSON.stringify([page, removed].map((result) => (result.isOk() ? 'ok' : result.error.type))),
  );
  // Like a host that has closed its client, the process must now exit by itself.
  client.disconnect();
};

print().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
