import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoreError } from '../../../src/session/errors.js';
import type { SessionKey } from '../../../src/session/session-key.js';
import type { SessionRecord, StateRecord } from '../../../src/session/session-record.js';
import type { Answer } from '../../../src/store/session-store.js';
import {
  ended,
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  say,
  TENANT,
} from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { answerOf, append, replacing } from '../../support/older-port/steps.js';
import { PATIENT_MS } from '../../support/patience.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { refusals, refusing } from '../../support/refusing-client.js';
import { replaceUnread } from '../../support/replace-unread.js';
import type { TodaysRedisStore } from '../../support/todays-redis-store.js';
import { todaysRedisStore } from '../../support/todays-redis-store.js';

const key = keyOf('one');
const head = headOf('one', NOON, { timeLimit: 60 });

const idle = live('IDLE', { limitMs: 60_000, deadline: NOON + 600_000 });
const active = live('ACTIVE', { revision: 2, limitMs: 60_000, deadline: NOON + 60_000 });
const paused = live('PAUSED', { revision: 3, limitMs: 60_000, deadline: NOON + 5 });

interface Operation {
  /** What was there before. */
  readonly prepare: (store: TodaysRedisStore) => Promise<unknown>;
  readonly run: (store: TodaysRedisStore) => Answer<unknown, StoreError>;
  readonly success: unknown;
}

const nothing = async (): Promise<void> => {};
const replaced = async (
  store: TodaysRedisStore,
  of: SessionKey,
  next: StateRecord,
  previous: StateRecord,
) =>
  (await replaceUnread(store.port, of, next, previous)).map(({ outcome }) =>
    outcome === 'made' ? 'replaced' : outcome,
  );
const create = (store: TodaysRedisStore) => answerOf(store.insert(TENANT, head, idle));
const start = async (store: TodaysRedisStore): Promise<void> => {
  await create(store);
  await answerOf(replacing(store, key, active));
};
const converse = async (store: TodaysRedisStore): Promise<void> => {
  await start(store);
  await append(store, key, ['before']);
  await append(store, key, ['before too'], 'before');
};
const remove = (store: TodaysRedisStore) => answerOf(store.remove(key, { now: NOON }));
const appended = { outcome: 'appended', position: expect.any(Number) };

const operations: Readonly<Record<string, Operation>> = {
  create: {
    prepare: nothing,
    run: (store) => store.insert(TENANT, head, idle),
    success: 'inserted',
  },
  'create again under the same id': {
    prepare: async (store) => {
      await converse(store);
      await remove(store);
    },
    run: (store) => store.insert(TENANT, head, idle),
    success: 'inserted',
  },
  'create under an id that is taken': {
    prepare: converse,
    run: (store) => store.insert(TENANT, head, idle),
    success: 'taken',
  },
  start: {
    prepare: create,
    run: (store) => replaced(store, key, active, idle),
    success: 'replaced',
  },
  pause: {
    prepare: converse,
    run: (store) => replaced(store, key, paused, active),
    success: 'replaced',
  },
  terminate: {
    prepare: converse,
    run: (store) =>
      replaced(store, key, ended('terminated', { revision: 3, limitMs: 60_000 }), active),
    success: 'replaced',
  },
  append: {
    prepare: converse,
    run: (store) => store.append(key, { entries: [say('mine')], now: NOON }),
    success: appended,
  },
  'append with an operationId': {
    prepare: converse,
    run: (store) =>
      store.append(key, { entries: [say('mine')], now: NOON, operation: operationOf('mine') }),
    success: appended,
  },
  remove: {
    prepare: converse,
    run: (store) => store.remove(key, { now: NOON }),
    success: 'removed',
  },
  'remove with a revision': {
    prepare: converse,
    run: (store) => store.remove(key, { revision: 2, now: NOON }),
    success: 'removed',
  },
};

let prefixes = 0;

/**
 * Each command that an operation sends is refused in turn, alone or with all that follow. Whatever
 * the operation answers then must be true, and no session may be missing in an index.
 */
describeWithRedis('when one command of an operation is refused', ({ port }) => {
  const client = new Redis({ port, lazyConnect: true });
  afterAll(() => client.quit());

  // With these an operation sends every command that it may send.
  describe.each([{ events: true }])('%j', (options) => {
    const open = () => {
      prefixes += 1;
      const prefix = `refusals-${process.pid}-${prefixes}`;
      return {
        prefix,
        others: todaysRedisStore({ client, prefix, ...options, timeoutMs: PATIENT_MS }),
      };
    };
    type Opened = ReturnType<typeof open>;

    // What is lost or refused is to be the script itself, and not the server's word that it does
    // not know it.
    beforeAll(async () => {
      const { others } = open();
      for (const { prepare, run } of Object.values(operations)) {
        await prepare(others);
        await answerOf(run(others));
        await remove(others);
      }
    });

    /** What is stored, without the versions of histories, which are random. */
    const look = async ({ others }: Opened) => {
      const { records, ...page } = await answerOf(others.list(TENANT, { offset: 0, limit: 10 }));
      const withoutVersion = (record: SessionRecord) => ({ ...record, historyVersion: '' });
      const found = await answerOf(others.find(key));
      return {
        found: found && withoutVersion(found),
        page: { ...page, records: records.map(withoutVersion) },
      };
    };

    const runRefused = async (
      { prepare, run, success }: Operation,
      refusal: string,
      isRefused: (number: number) => boolean,
    ): Promise<number> => {
      const opened = open();
      const { prefix, others } = opened;
      const how = refusals[refusal];
      if (how === undefined) throw new Error(`no refusal ${refusal}`);
      await prepare(others);
      const before = await look(opened);
      const refused = refusing(client, how, isRefused);
      const result = await run(
        todaysRedisStore({ client: refused.client, prefix, timeoutMs: 60, ...options }),
      );
      // What the call sends after its answer is no part of it.
      await client.call('PING');
      const after = await look(opened);
      const outcome = result.match(
        () => 'success',
        (error) => (error.type === 'store_unavailable' ? error.outcome : error.type),
      );
      if (result.isOk()) expect(result.value).toEqual(success);
      const isUnchanged = JSON.stringify(after.found) === JSON.stringify(before.found);
      if (outcome === 'not_applied' || outcome === 'corrupt_record')
        expect({ outcome, ...after }).toEqual({ outcome, ...before });
      if (!isUnchanged || (outcome === 'success' && success !== 'taken')) {
        const whole = open();
        await prepare(whole.others);
        await answerOf(run(whole.others));
        const expected = await look(whole);
        expect(after).toEqual(expected);
      }
      expect(await missingEntries(client, { prefix, ...options })).toEqual([]);
      if (outcome === 'success' && others.events !== undefined) {
        const { events } = (
          await others.events.read(others.events.streamOf(TENANT), '', 100)
        )._unsafeUnwrap();
        const told = events.map(({ type, sequence }) =>
          type === 'session.deleted' ? undefined : sequence,
        );
        expect(told).toContain(after.found?.sequence);
      }
      return refused.sent();
    };

    describe.each(Object.entries(operations))('%s', (_, operation) => {
      test.each(Object.keys(refusals))('%s', async (refusal) => {
        const sent = await runRefused(operation, refusal, () => false);
        for (let number = 1; number <= sent; number += 1) {
          await runRefused(operation, refusal, (each) => each === number);
          await runRefused(operation, refusal, (each) => each >= number);
        }
      });
    });
  });
});
