import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSessionHandler, staticApiKeys } from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';

/**
 * `large-pages-server.cjs REDIS_PORT|memory SESSIONS BYTES`: serves two tenants, whose names are
 * their keys. `large` has SESSIONS sessions with a history of BYTES bytes each, `small` has ten
 * short ones. Prints its port, and exits when its parent does.
 */
const [place = 'memory', sessions = '100', bytes = '80000'] = process.argv.slice(2);

const store =
  place === 'memory'
    ? new MemorySessionStore()
    : new RedisSessionStore({ client: new Redis(Number(place), '127.0.0.1'), timeoutMs: 10_000 });
const service = new SessionService({ store });

const fill = async (tenant: string, count: number, length: number): Promise<void> => {
  const own = service.forTenant(tenant);
  for (let at = 0; at < count; at += 1) {
    const created = await own.create({ face: 'ada', profile: 'tutor' });
    if (created.isErr()) throw new Error(created.error.message);
    const { id } = created.value;
    await own.start(id);
    const contents = Array.from({ length: Math.ceil(length / 1000) }, () =>
      'x'.repeat(Math.min(length, 1000)),
    );
    await own.append(
      id,
      contents.map((content) => ({ role: 'user', content })),
    );
  }
};

const main = async (): Promise<void> => {
  await fill('large', Number(sessions), Number(bytes));
  await fill('small', 10, 100);
  const authenticate = staticApiKeys([
    { key: 'large', tenant: 'large' },
    { key: 'small', tenant: 'small' },
  ]);
  const server = createServer(
    nodeListener(createSessionHandler({ sessions: service, authenticate })),
  );
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : undefined);
  });
};

process.on('disconnect', () => process.exit(0));
void main();
