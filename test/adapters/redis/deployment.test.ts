import { describe, expect, test } from 'vitest';
import { RedisSessionStore, type RedisSessionStoreOptions } from '../../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, beginOf, due, key, remove } from '../../../src/testing/commits.js';
import { pageOf } from '../../../src/testing/page-steps.js';
import { keyOf, live, NOON, TENANT, upTo } from '../../../src/testing/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { expectCallsToFail } from '../../support/failing-calls.js';
import { intercepting } from '../../support/intercepting-client.js';
import { ManualClock, passUntil } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openAppend } from '../../support/redis-commits.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { ada, errorOf, okOf, startedIn } from '../../support/sessions.js';

type Options = Omit<RedisSessionStoreOptions, 'client' | 'prefix'>;

let prefixes = 0;

describeWithRedis('the Redis deployment settings', ({ port }) => {
  describe.each(clientVersions)('%s', (version) => {
    const isFirst = version === clientVersions[0];
    describe.each(moreIfLong(isFirst ? ['', 'host:'] : ['host:'], ['', 'host:']))(
      'keyPrefix %j',
      (keyPrefix) => {
        /**
         * Opens stores of one deployment, each with its own client like the store of another process.
         */
        const deploy = () => {
          prefixes += 1;
          const prefix = `deployment-${process.pid}-${prefixes}`;
          const sent: string[] = [];
          const open = (options: Options = {}) => {
            const client = intercepting(
              openClient(version, { port, keyPrefix }),
              (name, _, run) => {
                if (name !== 'info') sent.push(name);
                return run();
              },
            );
            return new RedisSessionStore({ client, prefix, timeoutMs: PATIENT_MS, ...options });
          };
          return {
            prefix: `${keyPrefix}${prefix}`,
            sent,
            process: open,
            client: openClient(version, { port }),
          };
        };
        const add = (store: RedisSessionStore, id = key.id) =>
          begin(store, keyOf(id), { state: live('ACTIVE', { deadline: NOON + 1000 }) });

        test('are those of the first process that creates a session, and apply to processes that omit the options', async () => {
          const { process, client, prefix } = deploy();
          const first = process({ partitions: 3, events: { length: 500 }, reportEnds: true });
          const follower = process();
          expect((await follower.deployment())._unsafeUnwrap()).toBeUndefined();
          await add(first);
          const settings = { partitions: 3, events: true, reportEnds: true };
          expect((await follower.deployment())._unsafeUnwrap()).toEqual(settings);
          await add(follower, 'two');
          await openAppend(follower, key, ['hello']);
          expect(await missingEntries(client, { prefix, ...settings })).toEqual([]);
          const status = { anyOf: ['ACTIVE' as const], now: NOON };
          expect(await pageOf(follower, { status })).toMatchObject({ total: 2 });
        });

        test('are the defaults if the first process sets no options', async () => {
          const { process } = deploy();
          await add(process());
          const settings = { partitions: 1, events: false, reportEnds: false };
          expect((await process().deployment())._unsafeUnwrap()).toEqual(settings);
        });

        test('are only stored by a create', async () => {
          const { process } = deploy();
          const reader = process({ reportEnds: true });
          expect(await answerOf(reader.find(key))).toBeUndefined();
          expect(await due(reader, NOON)).toEqual([]);
          expect(await remove(reader, key)).toEqual({ outcome: 'refused', guard: 'present' });
          expect((await process().deployment())._unsafeUnwrap()).toBeUndefined();
          await add(process({ reportEnds: false }));
          expect((await reader.find(key))._unsafeUnwrapErr()).toMatchObject({
            type: 'misconfigured',
          });
        });

        test.each<[keyof Options, Options, string]>([
          [
            'partitions',
            { partitions: 4 },
            'the option partitions is 4, but this store has 3: omit the option, or use another prefix',
          ],
          ['events', { events: false }, 'the option events is false, but this store has true'],
          [
            'reportEnds',
            { reportEnds: true },
            'the option reportEnds is true, but this store has false',
          ],
        ])(
          'reject each call of a process that asks for other %s, and stay unchanged',
          async (_, options, message) => {
            const { process, client, prefix } = deploy();
            await add(process({ partitions: 3, events: true }));
            const keys = async () => [await client.call('KEYS', `${prefix}*`)].flat().toSorted();
            const before = await keys();
            const store = process(options);
            const misconfigured = {
              type: 'misconfigured',
              message: expect.stringContaining(message),
            };
            for (const _ of upTo(2)) {
              await expectCallsToFail(store, misconfigured);
              expect((await store.reportsEnds())._unsafeUnwrapErr()).toMatchObject(misconfigured);
              expect((await store.repair())._unsafeUnwrapErr()).toMatchObject(misconfigured);
              expect((await store.deployment())._unsafeUnwrapErr()).toMatchObject(misconfigured);
            }
            expect(await keys()).toEqual(before);
          },
        );

        test('accept a process with the same settings and another events.length', async () => {
          const { process } = deploy();
          await add(process({ partitions: 3, events: { length: 500 } }));
          await add(process({ partitions: 3, events: { length: 5 } }), 'two');
        });

        test("make a process without options publish events for other processes' watches", async () => {
          const { process } = deploy();
          const clock = new ManualClock();
          const store = process({ partitions: 3, events: true });
          const application = new SessionService({ store, clock });
          const id = await startedIn(application, { timeLimit: 60 });
          const watch = application.watch(id)[Symbol.asyncIterator]();
          expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({
            type: 'session.snapshot',
          });
          const other = new SessionService({ store: process(), clock });
          await okOf(other.append(id, [{ role: 'user', content: 'hello' }]));
          const appended = await passUntil(clock, watch.next());
          expect(appended.value?._unsafeUnwrap()).toMatchObject({
            entries: [{ content: 'hello' }],
          });
          clock.pass(60_000);
          await okOf(createSweeper(new SessionService({ store: process(), clock })).sweepOnce());
          const last = await passUntil(clock, watch.next());
          expect(last.value?._unsafeUnwrap()).toMatchObject({ session: { status: 'TERMINATED' } });
          expect(await watch.next()).toMatchObject({ done: true });
        });

        test('let a process without options watch from its first call', async () => {
          const { process } = deploy();
          const store = process({ partitions: 3, events: true });
          const application = new SessionService({ store });
          const ids = await Promise.all(
            upTo(9).map((at) => startedIn(application.forTenant(`t${at}`))),
          );
          for (const [at, id] of ids.entries()) {
            const tenant = `t${at}`;
            const watch = new SessionService({ store: process(), tenant })
              .watchAll({ cursor: '0' })
              [Symbol.asyncIterator]();
            expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({ sessionId: id });
            await watch.return?.();
          }
        });

        test('reject every watch if the deployment has no events', async () => {
          const { process } = deploy();
          await add(process());
          const items = new SessionService({ store: process(), tenant: TENANT }).watch('one');
          const { value } = await items[Symbol.asyncIterator]().next();
          expect(value?._unsafeUnwrapErr()).toMatchObject({
            type: 'misconfigured',
            message: expect.stringMatching(/no events/),
          });
        });

        test('are read once, with the first call, however many calls start concurrently', async () => {
          const { process, sent } = deploy();
          const first = process();
          await Promise.all(upTo(20).map((at) => add(first, `s${at}`)));
          sent.length = 0;
          const second = process();
          await Promise.all(upTo(20).map((at) => add(second, `t${at}`)));
          await add(second, 'more');
          // Once for the settings; twenty travel in two groups.
          expect(sent).toEqual(['evalsha', 'evalsha', 'evalsha', 'evalsha']);
        });

        test('are identical for many processes that start concurrently', async () => {
          const { process } = deploy();
          const stores = upTo(12).map((at) => process({ reportEnds: at % 2 === 0 }));
          const results = await Promise.all(
            stores.map((store, at) => store.begin(beginOf(keyOf(`s${at}`)))),
          );
          const stored = (await process().deployment())._unsafeUnwrap();
          expect(results.map((result) => result.isOk())).toEqual(
            upTo(12).map((at) => (at % 2 === 0) === stored?.reportEnds),
          );
        });

        test('are changed by a repair that asks for it, together with the new indexes', async () => {
          const { process, client, prefix } = deploy();
          await add(process({ partitions: 3 }));
          const wanted = process({ events: true, reportEnds: true });
          const refused = await wanted.repair();
          expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
          const report = await wanted.repair({ reconfigure: true });
          expect(report._unsafeUnwrap()).toMatchObject({ sessions: 1, listed: 0 });
          await add(wanted, 'two');
          const settings = { partitions: 3, events: true, reportEnds: true };
          expect((await process().deployment())._unsafeUnwrap()).toEqual(settings);
          expect(await missingEntries(client, { prefix, ...settings })).toEqual([]);
          const moved = await process({ partitions: 4 }).repair({ reconfigure: true });
          expect(moved._unsafeUnwrapErr()).toMatchObject({
            type: 'misconfigured',
            message: expect.stringMatching(/another prefix/),
          });
          expect((await process().deployment())._unsafeUnwrap()).toEqual(settings);
        });

        test('fail with misconfigured if a later version stored them', async () => {
          const { process, client, prefix } = deploy();
          await client.call('SET', `${prefix}:{0}:deployment`, '2 from the future');
          const error = await errorOf(new SessionService({ store: process() }).create(ada));
          expect(error).toMatchObject({
            type: 'misconfigured',
            message: expect.stringContaining('deployment'),
          });
        });
      },
    );
  });
});
