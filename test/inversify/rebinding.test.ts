import { Container, type ContainerModule } from 'inversify';
import RedisMock from 'ioredis-mock';
import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Authenticate } from '../../src/http/index.js';
import type { SessionHandler } from '../../src/http/session-handler.js';
import type { Clock, Ids, SessionService, SessionStore } from '../../src/index.js';
import {
  coreModule,
  handlerModule,
  memoryModule,
  redisModule,
  TYPES,
} from '../../src/inversify/index.js';
import { ManualClock, NOON } from '../support/manual-clock.js';
import { ada, countingIds, okOf } from '../support/sessions.js';

type BindTheirs = (container: Container) => void;

/** When a host can put a port of its own in place, with what else is loaded in between. */
const moments: Readonly<
  Record<string, (modules: readonly ContainerModule[], bindTheirs: BindTheirs) => Container>
> = {
  'before loading': (modules, bindTheirs) => {
    const container = new Container();
    bindTheirs(container);
    container.load(...modules);
    return container;
  },
  'between the modules': (modules, bindTheirs) => {
    const container = new Container();
    container.load(...modules.slice(0, 1));
    bindTheirs(container);
    container.load(...modules.slice(1));
    return container;
  },
  'after loading': (modules, bindTheirs) => {
    const container = new Container();
    container.load(...modules);
    bindTheirs(container);
    return container;
  },
  'between what is loaded twice': (modules, bindTheirs) => {
    const container = new Container();
    container.load(...modules);
    bindTheirs(container);
    container.load(coreModule(), handlerModule({ authenticate: () => 'nobody' }));
    return container;
  },
};

const sessionsOf = (container: Container) => container.get<SessionService>(TYPES.SessionService);

const client = new RedisMock();

const everyModule = () => [
  coreModule(),
  redisModule({ client, prefix: 'not-asked' }),
  handlerModule({ authenticate: () => undefined }),
];

describe.each(Object.entries(moments))('a port that the host rebinds %s', (_name, make) => {
  it.each([
    ['as written', everyModule],
    ['the other way round', () => everyModule().reverse()],
  ])('replaces the store, with the modules %s', async (_order, modules) => {
    const theirs = new MemorySessionStore();
    const container = make(modules(), (c) =>
      c.rebind<SessionStore>(TYPES.SessionStore).toConstantValue(theirs),
    );
    await okOf(sessionsOf(container).create(ada));
    expect(container.get(TYPES.SessionStore)).toBe(theirs);
    expect(theirs.page('default', { offset: 0, limit: 1 })._unsafeUnwrap().total).toBe(1);
  });

  it('replaces the clock', async () => {
    const clock = new ManualClock();
    const modules = [memoryModule(), coreModule()];
    const sessions = sessionsOf(
      make(modules, (c) => c.rebind<Clock>(TYPES.Clock).toConstantValue(clock)),
    );
    const { id, createdAt } = await okOf(sessions.create(ada));
    expect(createdAt).toBe(new Date(NOON).toISOString());
    await okOf(sessions.start(id));
    clock.pass(5000);
    expect((await okOf(sessions.get(id))).duration).toBe(5);
  });

  it('replaces the source of ids', async () => {
    const modules = [coreModule(), memoryModule()];
    const container = make(modules, (c) => c.rebind<Ids>(TYPES.Ids).toConstantValue(countingIds()));
    expect((await okOf(sessionsOf(container).create(ada))).id).toBe('s1');
  });

  it.each([
    ['with one in the module', everyModule],
    ['with none in the module', () => [handlerModule(), coreModule()]],
  ])('replaces the authenticator, %s', async (_order, modules) => {
    const theirs: Authenticate = (key) => (key === 'their-key' ? 'their-tenant' : undefined);
    const container = make(modules(), (c) => {
      c.rebind<Authenticate>(TYPES.Authenticator).toConstantValue(theirs);
      c.rebind<SessionStore>(TYPES.SessionStore).toConstantValue(new MemorySessionStore());
    });
    await okOf(sessionsOf(container).forTenant('their-tenant').create(ada));
    const response = await container.get<SessionHandler>(TYPES.SessionHandler)({
      method: 'GET',
      url: '/sessions',
      prefix: '',
      header: (name) => (name === 'x-api-key' ? 'their-key' : undefined),
      body: async () => ({ outcome: 'lost' }),
    });
    expect(response?.status).toBe(200);
    expect(response?.headers['X-Total-Count']).toBe('1');
  });
});

describe('a port that the host binds', () => {
  it('may be asynchronous', async () => {
    const container = new Container();
    container
      .bind<SessionStore>(TYPES.SessionStore)
      .toDynamicValue(async () => new MemorySessionStore());
    container.load(coreModule());
    const sessions = await container.getAsync<SessionService>(TYPES.SessionService);
    expect((await okOf(sessions.list())).total).toBe(0);
  });
});
