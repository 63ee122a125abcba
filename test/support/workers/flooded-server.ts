import { createServer } from 'node:http';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { createSessionHandler, staticApiKeys } from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';
import { heapAfterCollection } from '../heap.js';

/**
 * `flooded-server.cjs KEY...`, with `--expose-gc`: serves the nth key to the tenant `tenant-n`.
 * Prints its port, reports the remains of a flood on `measure`, and exits by itself after `close`.
 */
export interface FloodReport {
  /** Bytes of heap after the strangers' sessions were deleted. */
  readonly heap: number;
  readonly connections: number;
  readonly warnings: readonly string[];
}

const keys = process.argv.slice(2);
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const sessions = new SessionService({ store: new MemorySessionStore() });
const authenticate = staticApiKeys(keys.map((key, at) => ({ key, tenant: `tenant-${at}` })));
const server = createServer(nodeListener(createSessionHandler({ sessions, authenticate })));

const empty = async (tenant: SessionService): Promise<void> => {
  for (;;) {
    const page = await tenant.list({ limit: 100 });
    if (page.isErr()) throw new Error(page.error.message);
    if (page.value.sessions.length === 0) return;
    for (const { id } of page.value.sessions) await tenant.delete(id);
  }
};

const open = (): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

const measure = async (): Promise<FloodReport> => {
  server.closeAllConnections();
  while ((await open()) > 0) await new Promise(setImmediate);
  for (const at of keys.keys()) await empty(sessions.forTenant(`tenant-${at}`));
  return { heap: await heapAfterCollection(), connections: await open(), warnings };
};

process.on('message', (wish) => {
  if (wish === 'measure') {
    measure().then(
      (report) => process.send?.(JSON.stringify(report)),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
    return;
  }
  server.close();
  process.disconnect();
});

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  process.send?.(JSON.stringify(typeof address === 'object' ? address?.port : undefined));
});
