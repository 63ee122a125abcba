import { Redis } from 'ioredis';
import { openPool } from '../../test/support/postgres-schema.js';
import { openLibsql } from '../../test/support/sqlite-file.js';

export type Address = { readonly name?: string } & (
  | { readonly type: 'redis'; readonly port: number; readonly isBlocking: boolean }
  | { readonly type: 'postgres'; readonly url: string }
  | { readonly type: 'sqlite'; readonly file: string }
);

export interface Session {
  readonly id: string;
}

/** The replies of this process. */
export type Watched =
  | { readonly type: 'ready' }
  /** Bytes of the heap that all watches use. */
  | { readonly type: 'watching'; readonly bytes: number }
  /** Microseconds of CPU so far. */
  | { readonly type: 'cpu'; readonly cpu: number }
  /** When an item came, in milliseconds since the epoch. */
  | { readonly type: 'seen'; readonly at: number };

/**
 * A service of a build on a store of its own, which has events. `around` may put another store
 * around it.
 */
export const openServices = async (
  folder: string,
  address: Address,
  around: (store: object) => object = (store) => store,
) => {
  const load = async (name: string) => Object(await import(`${folder}dist/${name}.js`));
  const { SessionService } = await load('index');
  const { name = 'watching' } = address;
  if (address.type === 'redis') {
    const [client, other] = [new Redis(address.port), new Redis(address.port)];
    const { RedisSessionStore } = await load('redis');
    const events = address.isBlocking ? { client: other } : true;
    const store = new RedisSessionStore({ client, prefix: name, timeoutMs: 30_000, events });
    const close = (): void => {
      client.disconnect();
      other.disconnect();
    };
    return { sessions: new SessionService({ store: around(store) }), close };
  }
  if (address.type === 'postgres') {
    const pool = openPool(address, { max: 5 });
    const { PostgresSessionStore } = await load('postgres');
    const store = new PostgresSessionStore({ pool, schema: name, timeoutMs: 30_000, events: true });
    (await store.migrate())._unsafeUnwrap();
    return { sessions: new SessionService({ store: around(store) }), close: () => pool.end() };
  }
  const database = openLibsql(`${address.file}-${name}`);
  const { SqliteSessionStore } = await load('sqlite');
  const store = new SqliteSessionStore({ database, events: true });
  (await store.migrate())._unsafeUnwrap();
  return { sessions: new SessionService({ store: around(store) }), close: () => database.close() };
};

const answer = (message: Watched): unknown => process.send?.(message);

const heap = (): number => {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens watches, and answers when all wait. */
const watchAll = async (
  { sessions }: Services,
  watched: readonly Session[],
  count: number,
): Promise<void> => {
  const before = heap();
  let open = 0;
  for (let at = 0; at < count; at += 1) {
    const { id } = watched[at % watched.length] ?? { id: '' };
    void (async () => {
      for await (const item of sessions.watch(id)) {
        if (item._unsafeUnwrap().type === 'session.snapshot') open += 1;
        else if (at < watched.length)
          answer({ type: 'seen', at: performance.timeOrigin + performance.now() });
      }
    })();
  }
  const waited = setInterval(() => {
    if (open < count) return;
    clearInterval(waited);
    setTimeout(() => answer({ type: 'watching', bytes: heap() - before }), 1000);
  }, 10);
};

if (process.send !== undefined) {
  let services: Services | undefined;
  process.on('message', async (message: { readonly type: string } & Record<string, never>) => {
    if (message.type === 'open') {
      services = await openServices(message['folder'] ?? '', Object(message['address']));
      answer({ type: 'ready' });
    }
    const { user, system } = process.cpuUsage();
    if (message.type === 'cpu') answer({ type: 'cpu', cpu: user + system });
    if (message.type === 'watch' && services)
      await watchAll(services, Object(message['watched']), Number(message['count']));
  });
}
