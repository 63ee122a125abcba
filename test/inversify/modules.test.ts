import { Container, type ContainerModule } from 'inversify';
import RedisMock from 'ioredis-mock';
import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { staticApiKeys } from '../../src/http/index.js';
import type { HandlerRequest, SessionHandler } from '../../src/http/session-handler.js';
import { randomIds, SessionService, type SessionStore, systemClock } from '../../src/index.js';
import {
  coreModule,
  handlerModule,
  memoryModule,
  postgresModule,
  redisModule,
  sqliteModule,
  TYPES,
} from '../../src/inversify/index.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import { openLibsql } from '../support/sqlite-file.js';

const loaded = (...modules: readonly ContainerModule[]): Container => {
  const container = new Container();
  container.load(...modules);
  return container;
};

const serviceOf = (container: Container) => container.get<SessionService>(TYPES.SessionService);
const storeOf = (container: Container) => container.get<SessionStore>(TYPES.SessionStore);

const listRequest = (key: string): HandlerRequest => ({
  method: 'GET',
  url: '/sessions',
  prefix: '',
  header: (name) => (name === 'x-api-key' ? key : undefined),
  body: async () => ({ outcome: 'lost' }),
});

const statusFor = async (container: Container, key: string) =>
  (await container.get<SessionHandler>(TYPES.SessionHandler)(listRequest(key)))?.status;

describe('coreModule', () => {
  it('runs on a memory store by itself', async () => {
    const sessions = serviceOf(loaded(coreModule()));
    const { id } = await okOf(sessions.create(ada));
    expect((await okOf(sessions.get(id))).status).toBe('IDLE');
  });

  it('binds the service and its ports once each', () => {
    const container = loaded(coreModule());
    expect(serviceOf(container)).toBeInstanceOf(SessionService);
    expect(serviceOf(container)).toBe(serviceOf(container));
    expect(storeOf(container)).toBeInstanceOf(MemorySessionStore);
    expect(storeOf(container)).toBe(storeOf(container));
    expect(container.get(TYPES.Clock)).toBe(systemClock);
    expect(container.get(TYPES.Ids)).toBe(randomIds);
  });

  it("passes the container's store to its service", async () => {
    const container = loaded(coreModule({ tenant: 'acme' }));
    const { id } = await okOf(serviceOf(container).create(ada));
    const found = await storeOf(container).find({ tenant: 'acme', id });
    expect(found._unsafeUnwrap()?.head.id).toBe(id);
  });

  it('passes its settings to the service', async () => {
    const strict = serviceOf(loaded(coreModule({ faces: ['grace'] })));
    expect((await errorOf(strict.create(ada))).message).toMatch(/^face /);
  });

  it('throws for invalid and unknown settings', () => {
    expect(() => coreModule({ idleTimeout: -1 })).toThrow(
      /^coreModule: idleTimeout must be a number from 0/,
    );
    expect(() => coreModule(Object({ idleTimout: 60 }))).toThrow(
      new TypeError('coreModule: idleTimout is unknown (did you mean idleTimeout?)'),
    );
  });

  it('creates separate sessions for each container', async () => {
    const module = coreModule();
    await okOf(serviceOf(loaded(module)).create(ada));
    expect((await okOf(serviceOf(loaded(module)).list())).total).toBe(0);
  });

  it('resolves ports from a parent container', async () => {
    const parent = loaded(memoryModule());
    const child = new Container({ parent });
    child.load(coreModule());
    await okOf(serviceOf(child).create(ada));
    expect(storeOf(child)).toBe(storeOf(parent));
  });
});

describe('the store modules', () => {
  const redis = () => redisModule({ client: new RedisMock(), prefix: 'wired' });
  const sqlite = () => sqliteModule({ database: openLibsql(':memory:') });
  const postgres = () =>
    postgresModule({ pool: { connect: () => Promise.reject(new Error('there is no server')) } });
  const orders = {
    'before the core': (store: ContainerModule) => [store, coreModule()],
    'after the core': (store: ContainerModule) => [coreModule(), store],
  };

  it.each(Object.entries(orders))('provide the store when loaded %s', (_name, inOrder) => {
    expect(storeOf(loaded(...inOrder(redis())))).toBeInstanceOf(RedisSessionStore);
    expect(storeOf(loaded(...inOrder(sqlite())))).toBeInstanceOf(SqliteSessionStore);
    expect(storeOf(loaded(...inOrder(postgres())))).toBeInstanceOf(PostgresSessionStore);
    expect(storeOf(loaded(...inOrder(memoryModule())))).toBeInstanceOf(MemorySessionStore);
  });

  it.each(Object.entries(orders))('serve the service when loaded %s', async (_name, inOrder) => {
    const sessions = serviceOf(loaded(...inOrder(redis())));
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    expect((await okOf(sessions.get(id))).status).toBe('ACTIVE');
  });

  it("serve the service on SQLite after the host's migration", async () => {
    const database = openLibsql(':memory:');
    const sessions = serviceOf(loaded(coreModule(), sqliteModule({ database })));
    expect((await errorOf(sessions.create(ada))).message).toContain('call migrate() first');
    (await new SqliteSessionStore({ database }).migrate())._unsafeUnwrap();
    expect((await okOf(sessions.create(ada))).status).toBe('IDLE');
  });

  it("serve the service on PostgreSQL through the host's pool", async () => {
    const sessions = serviceOf(loaded(coreModule(), postgres()));
    expect((await errorOf(sessions.create(ada))).message).toContain('the pool gave no connection');
  });

  it('provide a store without the core module', () => {
    expect(storeOf(loaded(redis()))).toBeInstanceOf(RedisSessionStore);
    expect(storeOf(loaded(memoryModule()))).toBeInstanceOf(MemorySessionStore);
  });

  it('are ambiguous if two are loaded', () => {
    expect(() => storeOf(loaded(coreModule(), redis(), memoryModule()))).toThrow(/ambiguous/i);
  });

  it('throw for invalid and unknown options', () => {
    expect(() => memoryModule(Object({ event: true }))).toThrow(
      new TypeError('MemorySessionStore: event is unknown (did you mean events?)'),
    );
    expect(() => redisModule(Object({ client: undefined }))).toThrow(/^RedisSessionStore: client /);
    expect(() => sqliteModule(Object({ database: {} }))).toThrow(/^SqliteSessionStore: database /);
    expect(() => postgresModule(Object({ pool: {} }))).toThrow(/^PostgresSessionStore: pool /);
  });
});

describe('handlerModule', () => {
  const acme = staticApiKeys([{ key: 'open-sesame', tenant: 'acme' }]);

  it.each([
    ['before', () => [handlerModule({ authenticate: acme }), coreModule()]],
    ['after', () => [coreModule(), handlerModule({ authenticate: acme })]],
  ])("serves the container's sessions when loaded %s the core", async (_name, modules) => {
    const container = loaded(...modules());
    await okOf(serviceOf(container).forTenant('acme').create(ada));
    const handle = container.get<SessionHandler>(TYPES.SessionHandler);
    const response = await handle(listRequest('open-sesame'));
    expect(response?.headers['X-Total-Count']).toBe('1');
    expect(handle).toBe(container.get(TYPES.SessionHandler));
  });

  it('denies other keys, and creates no handler without an authenticator', async () => {
    expect(
      await statusFor(loaded(coreModule(), handlerModule({ authenticate: acme })), 'sesame'),
    ).toBe(401);
    expect(() => loaded(coreModule(), handlerModule()).get(TYPES.SessionHandler)).toThrow(
      'colloquy.Authenticator',
    );
  });

  it('passes its settings to the handler, and throws for invalid ones', async () => {
    const reasons: string[] = [];
    const settings = {
      authenticate: acme,
      onDenied: ({ reason }: { reason: string }) => reasons.push(reason),
    };
    expect(await statusFor(loaded(coreModule(), handlerModule(settings)), 'sesame')).toBe(401);
    expect(reasons).toEqual(['wrong']);
    expect(() => handlerModule({ ...settings, maxBodyBytes: 0 })).toThrow(
      'handlerModule: maxBodyBytes must be',
    );
  });
});

describe('TYPES', () => {
  it('contains symbols that are shared by all copies of the module', () => {
    for (const [name, token] of Object.entries(TYPES))
      expect(token).toBe(Symbol.for(`colloquy.${name}`));
  });
});
