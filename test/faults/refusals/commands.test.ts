import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { sessionStatuses } from '../../../src/session/session-status.js';
import { answerOf } from '../../../src/testing/answers.js';
import {
  type ClientVersion,
  clientVersions,
  connectClient,
  type TestClient,
} from '../../support/client-versions.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock, NOON } from '../../support/manual-clock.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { ada, countingIds, okOf } from '../../support/sessions.js';
import {
  type Bench,
  CREATED,
  handOut,
  LABELS,
  said,
  TARGET,
  type Write,
  writes,
} from '../crashes/torn-writes.js';
import { effort, record } from '../support/effort.js';
import { wrongEntries, wrongEvents } from '../support/stored.js';
import { prefix, type Refusal, refusals, stream, tenant, work } from './command-refusals.js';

const PROMISE = 'a refused command changes nothing that a reader shows';
const OTHER = 's1';
const FAR = Date.UTC(2100, 0);
const IDS = [OTHER, TARGET, CREATED];

/**
 * What a call was answered: `ok`, what its error says of its outcome, or the type of another error.
 */
const outcomeOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
    return 'ok';
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (typeof cause !== 'object' || cause === null || !('type' in cause)) throw error;
    return 'outcome' in cause ? String(cause.outcome) : String(cause.type);
  }
};

/**
 * All that readers of a store show. Another script cuts a page, so a page of one session is looked
 * at too.
 */
const shown = async ({ store }: Bench, control: TestClient): Promise<unknown> => {
  const byStatus = sessionStatuses.map((status) => ({ status: { anyOf: [status], now: NOON } }));
  const ranges = [
    {},
    ...byStatus,
    { labels: { kind: LABELS.kind } },
    { labels: { team: 'a' } },
    { labels: LABELS, order: 'updated' as const },
  ];
  const pages = ranges.flatMap((range) =>
    [1, 100].map((limit) => store.page(tenant, { ...range, offset: 0, limit })),
  );
  return {
    found: await Promise.all(IDS.map((id) => answerOf(store.find({ tenant, id })))),
    history: await Promise.all(
      IDS.map((id) => answerOf(store.entries({ tenant, id }, { after: 0, limit: 100 }))),
    ),
    pages: await Promise.all(pages.map(answerOf)),
    work: await control.call('ZRANGE', work, '0', '-1', 'WITHSCORES'),
    due: await answerOf(store.due(FAR, 100)),
    events: await control.call('XRANGE', stream, '-', '+'),
  };
};

describeWithRedis('a Redis change of which one command is refused', () => {
  let server: RedisServer;
  let control: TestClient;
  const clients: TestClient[] = [];
  const sums = { refused: 0, spared: 0, wrong: 0 };
  let spoilt: (key: string) => Promise<unknown> = async () => undefined;
  const connect = (version: ClientVersion) => {
    const client = connectClient(version, {
      port: server.port,
      username: 'writer',
      password: 'secret',
    });
    clients.push(client);
    return intercepting(client, async (name, args, run) => {
      if (name === 'evalsha' || name === 'eval') await spoilt(String(args[2]));
      return run();
    });
  };
  beforeAll(async () => {
    server = await startRedis({ args: ['--repl-timeout', '1'] });
    control = connectClient('ioredis 5', { port: server.port });
    await control.call('ACL', 'SETUSER', 'writer', 'on', '>secret', '~*', '&*', '+@all');
  });
  afterAll(async () => {
    for (const client of [control, ...clients]) client.disconnect();
    await server.stop('SIGKILL');
    const tell = (figure: string, value: number, bar?: string) =>
      record({ promise: PROMISE, figure, value, ...(bar === undefined ? {} : { bar }) });
    tell('mutations that were refused', sums.refused);
    tell('mutations that did not need what was refused', sums.spared);
    tell('of these, with another outcome than was said', sums.wrong, '0');
  });

  /** A service, and sessions as they are before a write. */
  const prepared = async (
    write: Write,
    events: boolean,
    version: ClientVersion,
    timeoutMs = 10_000,
  ): Promise<Bench> => {
    await control.call('FLUSHALL');
    const client = connect(version);
    const store = new RedisSessionStore({ client, prefix, events, timeoutMs });
    const options = { store, clock: new ManualClock(), ids: countingIds() };
    const sessions = new SessionService(options);
    const bench = {
      client: control,
      store,
      events,
      sessions,
      impatient: new SessionService({ ...options, idleTimeout: 900 }),
    };
    const { id } = await okOf(bench.impatient.create({ ...ada, timeLimit: 60, labels: LABELS }));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [said('of another')], { operationId: 'other' }));
    await write.prepare(bench);
    return bench;
  };

  const stored = async (events: boolean): Promise<readonly string[]> => {
    const { wrong, ghosts } = events
      ? await wrongEvents(control, prefix)
      : { wrong: [], ghosts: [] };
    return [...(await wrongEntries(control, prefix)), ...wrong, ...ghosts];
  };

  const spoil = async ({ begin, wrongKey }: Refusal, id: string): Promise<void> => {
    await begin(control, id);
    if (wrongKey === 'write') spoilt = (key) => control.call('RPUSH', key, 'of another program');
  };
  const mend = async ({ end }: Refusal, id: string): Promise<void> => {
    spoilt = async () => undefined;
    await end(control, id);
  };

  describe.each(effort([true], [true, false]))('with events: %s', (events) => {
    // Of several together, one may be refused and the others made.
    test.each([...writes, handOut].filter(({ isGroup }) => !isGroup))(
      '$name: is answered truthfully, and applied once if repeated',
      async (write) => {
        const [version = 'ioredis 5', other = version] = clientVersions;
        const wrong: string[] = [];
        const id = write.name.startsWith('create') ? CREATED : TARGET;
        const tried = refusals.filter((_, at) => effort((at + write.name.length) % 12 === 0, true));
        for (const [at, refusal] of tried.entries()) {
          const bench = await prepared(
            write,
            events,
            at % 2 === 0 ? version : other,
            refusal.timeoutMs,
          );
          const before = await shown(bench, control);
          await spoil(refusal, id);
          const outcome = await outcomeOf(() => write.run(bench));
          await mend(refusal, id);
          const say = (what: string) => wrong.push(`${refusal.name}: ${outcome}, ${what}`);
          if (outcome === 'ok') sums.spared += 1;
          else {
            sums.refused += 1;
            if (!['not_applied', 'misconfigured', 'corrupt_record', 'conflict'].includes(outcome))
              say('which says too little');
            const after = await shown(bench, control);
            try {
              expect(after).toEqual(before);
            } catch (error) {
              say(
                `something has changed: ${error instanceof Error ? error.message.slice(0, 2000) : ''}`,
              );
            }
            const again = await outcomeOf(() => write.run(bench));
            if (again !== 'ok') say(`then ${again}`);
          }
          if (refusal.wrongKey !== undefined && outcome === 'ok') continue;
          const found = await stored(events);
          if (found.length > 0) say(`then ${found.join('; ')}`);
        }
        sums.wrong += wrong.length;
        expect(wrong).toEqual([]);
      },
      effort(60_000, 120_000),
    );
  });

  const find = (name: string): Write => {
    const write = writes.find((each) => each.name === name);
    if (write === undefined) throw new Error('no such write');
    return write;
  };

  test('a Redis server without free memory accepts a delete', async () => {
    const remove = find('delete');
    const bench = await prepared(remove, true, 'ioredis 5');
    await control.call('CONFIG', 'SET', 'maxmemory', '1');
    try {
      expect(await outcomeOf(() => remove.run(bench))).toBe('ok');
    } finally {
      await control.call('CONFIG', 'SET', 'maxmemory', '0');
    }
    expect(await stored(true)).toEqual([]);
  });

  /**
   * What does not work on other sessions of the tenant. The one to delete has the labels, and is in
   * one of these lists.
   */
  const shared: Readonly<Record<string, readonly string[]>> = {
    index: ['create', 'list', 'create with wake', 'delete'],
    IDLE: ['create', 'start', 'create with wake', 'delete'],
    ACTIVE: ['start', 'pause', 'terminate', 'delete'],
    PAUSED: ['pause', 'delete'],
    TERMINATED: ['terminate', 'delete'],
    work: ['create with wake', 'wake', 'send', 'claim', 'delete'],
    waiting: ['create with wake', 'wake', 'send', 'claim', 'delete'],
    label: ['delete'],
    'another label': ['delete'],
    deadlines: ['delete'],
    tenants: ['delete'],
    // A claim names the session, which it cannot lease, as unreadable.
    events: [
      'create',
      'start',
      'append',
      'create with wake',
      'wake',
      'send',
      'pause',
      'terminate',
      'delete',
    ],
  };

  test.each(refusals.filter(({ wrongKey }) => wrongKey !== undefined && wrongKey !== 'write'))(
    '$name fails only what needs the key',
    async (refusal) => {
      const bench = await prepared(find('append by name'), true, 'ioredis 5');
      const { sessions } = bench;
      const ids = [await okOf(sessions.create(ada)), await okOf(sessions.create(ada))].map(
        ({ id }) => id,
      );
      const [idle = '', active = ''] = ids;
      await okOf(sessions.start(active));
      await spoil(refusal, TARGET);
      const stopped: string[] = [];
      const attempts: Readonly<Record<string, () => Promise<unknown>>> = {
        create: () => okOf(sessions.create({ ...ada, timeLimit: 60 })),
        start: () => okOf(sessions.start(idle)),
        append: () => okOf(sessions.append(active, [said('more')])),
        get: () => okOf(sessions.get(active)),
        list: () => okOf(sessions.list({ limit: 100 })),
        'create with wake': () => okOf(sessions.create({ ...ada, wake: true })),
        wake: () => okOf(sessions.wake(active)),
        send: () => okOf(sessions.send(active, { id: 'm', content: 'more' })),
        pause: () => okOf(sessions.pause(active)),
        claim: () => okOf(sessions.claim({ holder: 'worker', seconds: 1 })),
        terminate: () => okOf(sessions.terminate(active)),
        delete: () => okOf(sessions.delete(OTHER)),
      };
      for (const [name, run] of Object.entries(attempts)) {
        const outcome = await outcomeOf(run);
        if (outcome !== 'ok') stopped.push(name);
      }
      await mend(refusal, TARGET);
      expect(stopped).toEqual(shared[refusal.wrongKey ?? ''] ?? []);
    },
  );
});
