import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSessionHandler, eventRoutes } from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';
import { heapAfterCollection } from '../heap.js';

/**
 * `watched-server.cjs BYTES [PORT]`, with `--expose-gc`: serves the events of one session with
 * BYTES bytes, in memory or in the Redis at PORT. Prints its address, reports its memory on
 * `measure`, confirms an entry on `append`, and exits by itself after `close`.
 */
export interface WatchedServer {
  readonly port: number;
  readonly path: string;
}

/** In megabytes. */
export interface WatchedReport {
  readonly heap: number;
  readonly buffers: number;
  readonly rss: number;
}

const ENTRY_BYTES = 10_000;
const MB = 1_000_000;

const [bytes = '0', redisPort] = process.argv.slice(2);
const redis = redisPort === undefined ? undefined : new Redis(Number(redisPort));
const store = redis
  ? new RedisSessionStore({ client: redis, events: true })
  : new MemorySessionStore({ events: true });
const sessions = new SessionService({ store });
const routes = [eventRoutes({ maxStreamsPerTenant: 5000 })];
const handler = createSessionHandler({ sessions, authenticate: () => 'default', routes });
const server = createServer(nodeListener(handler));

const append = async (id: string): Promise<void> => {
  (await sessions.append(id, [{ role: 'user', content: 'x'.repeat(ENTRY_BYTES) }]))._unsafeUnwrap();
};

const filled = async (): Promise<string> => {
  const { id } = (await sessions.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
  (await sessions.start(id))._unsafeUnwrap();
  for (let size = 0; size < Number(bytes); size += ENTRY_BYTES) await append(id);
  return id;
};

const measure = async (): Promise<WatchedReport> => {
  await heapAfterCollection();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed / MB, buffers: arrayBuffers / MB, rss: rss / MB };
};

const tell = (answer: WatchedServer | WatchedReport | 'appended'): void => {
  process.send?.(JSON.stringify(answer));
};

const serve = async (): Promise<void> => {
  const id = await filled();
  process.on('message', (wish) => {
    if (wish === 'measure') void measure().then(tell);
    else if (wish === 'append') void append(id).then(() => tell('appended'));
    else {
      server.close();
      server.closeAllConnections();
      redis?.disconnect();
      process.disconnect();
    }
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null)
      tell({ port: address.port, path: `/session/${id}/events` });
  });
};

void serve();
