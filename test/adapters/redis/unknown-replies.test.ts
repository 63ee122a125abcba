import { err, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { append, appendOf, begin, putOf, said } from '../../../src/testing/commits.js';
import { headOf, keyOf, live, NOON, TENANT } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';

const key = keyOf('one');
const page = { offset: 0, limit: 10 };
const queue = { now: NOON, until: NOON + 1000, limit: 10 };
const active = live('ACTIVE');

type Answered = Result<unknown, { readonly type: string }>;
type Calls = Readonly<Record<string, (store: RedisSessionStore) => PromiseLike<Answered>>>;

const writes: Calls = {
  begin: (store) => {
    const effects = { head: headOf('two'), state: active, entries: [], events: [] };
    return store.begin({ key: keyOf('two'), guards: {}, effects });
  },
  append: (store) => store.change(appendOf(key, ['late'])),
  replace: (store) => store.change(putOf(key, live('PAUSED', { revision: 2 }), active)),
  redact: (store) => store.change({ key, guards: {}, effects: { redact: [1], at: NOON } }),
  move: (store) => store.change({ key, guards: { dueAt: 1 }, effects: { dueAt: 2 } }),
  remove: (store) => store.remove({ key, guards: {}, effects: { events: [] } }),
  take: (store) => store.take({ tenant: TENANT, ...queue }),
};

const eventsOf = ({ events }: SessionStore) => {
  if (events === undefined) throw new Error('the store has no events');
  return events;
};

const reads: Calls = {
  find: (store) => store.find(key),
  'find with a limit': (store) => store.find(key, { historyLimit: 1 }),
  findState: (store) => store.findState(key),
  entries: (store) => store.entries(key, { limit: 1 }),
  page: (store) => store.page(TENANT, page),
  'page without histories': (store) => store.page(TENANT, { ...page, historyLimit: 0 }),
  'page by update': (store) => store.page(TENANT, { ...page, order: 'updated' }),
  'page by two labels': (store) => store.page(TENANT, { ...page, labels: { a: 'b', c: 'd' } }),
  due: async (store) => {
    const { failed } = await answerOf(store.due(NOON, 10));
    return err(failed[0] ?? { type: 'none' });
  },
  countWaiting: (store) => store.countWaiting({ tenant: TENANT, now: NOON, limit: 10 }),
  'latest event': async (store) => eventsOf(store).latest(eventsOf(store).streamOf(TENANT)),
  'time of the log': async (store) => eventsOf(store).now(eventsOf(store).streamOf(TENANT)),
  events: async (store) => eventsOf(store).read(eventsOf(store).streamOf(TENANT), '0', 10),
  repair: async (store) => store.repair(),
};

const settings: Calls = {
  deployment: async (store) => store.deployment(),
};

let prefixes = 0;

describeWithRedis('a malformed Redis reply', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const open = async () => {
      prefixes += 1;
      const prefix = `replies-${process.pid}-${version}-${prefixes}`;
      const client = openClient(version, { port });
      const options = { prefix, events: true, timeoutMs: PATIENT_MS };
      const store = new RedisSessionStore({ client, ...options });
      await begin(store, key);
      await append(store, key, ['first']);
      return { client, options, store };
    };

    test.each([
      ['QUEUED'],
      [['QUEUED']],
      [[['QUEUED']]],
      [1.5],
      [true],
      [{}],
      [undefined],
      [Buffer.from('OK')],
    ])(
      'of %j fails every operation with store_unavailable, and is unknown for a write',
      async (reply) => {
        const { client, options } = await open();
        let isReplaced = false;
        const strange = intercepting(client, (_name, _args, run) =>
          isReplaced ? Promise.resolve(reply) : run(),
        );
        const store = new RedisSessionStore({ client: strange, ...options });
        expect((await store.find(key)).isOk()).toBe(true);
        isReplaced = true;
        for (const [name, call] of Object.entries({ ...writes, ...reads, ...settings })) {
          const answer = await call(store);
          expect([name, answer.isOk()]).toEqual([name, false]);
          const outcome = name in writes ? 'unknown' : 'not_applied';
          expect([name, answer._unsafeUnwrapErr()]).toMatchObject([
            name,
            { type: 'store_unavailable', outcome },
          ]);
        }
      },
    );

    test('inside a MULTI of the host on the same client is unknown, and EXEC applies the write', async () => {
      const { client, store } = await open();
      await client.call('MULTI');
      const answer = await store.change(appendOf(key, ['second']));
      expect(answer._unsafeUnwrapErr()).toMatchObject({
        type: 'store_unavailable',
        outcome: 'unknown',
        message: expect.stringContaining('MULTI'),
      });
      await client.call('EXEC');
      expect(await said(store, key)).toEqual(['first', 'second']);
    });
  });
});
