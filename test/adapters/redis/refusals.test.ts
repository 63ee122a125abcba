import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { StoreError } from '../../../src/session/errors.js';
import type { SessionRecord } from '../../../src/session/session-record.js';
import type { Answer, ChangeCommit, SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { begin, beginOf, put, putOf, remove } from '../../../src/testing/commits.js';
import { eventsAfter } from '../../../src/testing/event-steps.js';
import {
  ended,
  headOf,
  keyOf,
  live,
  NOON,
  operationOf,
  TENANT,
} from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openAppend, openAppendOf } from '../../support/redis-commits.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { refusals, refusing } from '../../support/refusing-client.js';

const key = keyOf('one');

const idle = live('IDLE', { limitMs: 60_000, deadline: NOON + 600_000 });
const active = live('ACTIVE', { revision: 2, limitMs: 60_000, deadline: NOON + 60_000 });
const paused = live('PAUSED', { revision: 3, limitMs: 60_000, deadline: NOON + 5 });
const over = ended('terminated', { revision: 3, limitMs: 60_000 });
const beginning = { head: headOf('one', NOON, { timeLimit: 60 }), state: idle };

interface Call {
  readonly run: (store: SessionStore) => Answer<unknown, StoreError>;
  readonly success: unknown;
}

interface Operation extends Call {
  /** What was stored before the call. */
  readonly prepare: (store: SessionStore) => Promise<unknown>;
}

const nothing = async (): Promise<void> => {};
const create = (store: SessionStore) => begin(store, key, beginning);
const converse = async (store: SessionStore): Promise<void> => {
  await create(store);
  await put(store, key, active);
  await openAppend(store, key, ['before']);
  await openAppend(store, key, ['before too'], { operation: operationOf('before') });
};

const begins: Call = {
  run: (store) => store.begin(beginOf(key, beginning)),
  success: { outcome: 'made' },
};
const changes = (commit: ChangeCommit): Call => ({
  run: (store) => store.change(commit),
  success: { outcome: 'made', position: expect.any(Number) },
});
const removes = (revision?: number): Call => ({
  run: (store) => store.remove(planRemove(key, NOON, { revision })),
  success: { outcome: 'made' },
});

const operations: Readonly<Record<string, Operation>> = {
  create: { prepare: nothing, ...begins },
  'create again under the same id': {
    prepare: async (store) => {
      await converse(store);
      await remove(store, key);
    },
    ...begins,
  },
  'create under an id that is taken': {
    prepare: converse,
    ...begins,
    success: { outcome: 'refused', guard: 'absent' },
  },
  start: { prepare: create, ...changes(putOf(key, active, idle)) },
  pause: { prepare: converse, ...changes(putOf(key, paused, active)) },
  terminate: { prepare: converse, ...changes(putOf(key, over, active)) },
  append: { prepare: converse, ...changes(openAppendOf(key, ['mine'])) },
  'append with an operationId': {
    prepare: converse,
    ...changes(openAppendOf(key, ['mine'], { operation: operationOf('mine') })),
  },
  remove: { prepare: converse, ...removes() },
  'remove with a revision': { prepare: converse, ...removes(2) },
};

let prefixes = 0;

/**
 * Each command that an operation sends is refused in turn, alone or with all that follow. Whatever
 * the operation answers then must be true, and no session may be missing in an index.
 */
describeWithRedis('a Redis operation of which one command is refused', ({ port }) => {
  const client = new Redis({ port, lazyConnect: true });
  afterAll(() => client.quit());

  const open = () => {
    prefixes += 1;
    // With events, an operation sends every command that it may send.
    const settings = { prefix: `refusals-${process.pid}-${prefixes}`, events: true };
    const others = new RedisSessionStore({ ...settings, client, timeoutMs: PATIENT_MS });
    return { settings, others };
  };

  // Loads the scripts, so that the refused command is the script and not answered with NOSCRIPT.
  beforeAll(async () => {
    const { others } = open();
    for (const { prepare, run } of Object.values(operations)) {
      await prepare(others);
      await answerOf(run(others));
      await remove(others, key);
    }
  });

  /** What is stored, without the versions of histories, which are random. */
  const look = async (others: SessionStore) => {
    const { records, ...page } = await answerOf(others.page(TENANT, { offset: 0, limit: 10 }));
    const withoutVersion = (record: SessionRecord) => ({ ...record, historyVersion: '' });
    const found = await answerOf(others.find(key));
    return {
      found: found && withoutVersion(found),
      page: { ...page, records: records.map(withoutVersion) },
    };
  };

  /** What is stored after an operation without refusals. */
  const undisturbed = async ({ prepare, run }: Operation) => {
    const { others } = open();
    await prepare(others);
    await answerOf(run(others));
    return look(others);
  };

  const runRefused = async (
    operation: Operation,
    refusal: string,
    isRefused: (number: number) => boolean,
  ): Promise<number> => {
    const { settings, others } = open();
    const how = refusals[refusal];
    if (how === undefined) throw new Error(`no refusal ${refusal}`);
    await operation.prepare(others);
    const before = await look(others);
    const refused = refusing(client, how, isRefused);
    const store = new RedisSessionStore({ ...settings, client: refused.client, timeoutMs: 60 });
    const result = await operation.run(store);
    // Waits for what the call sends after its answer, which is not refused.
    await client.call('PING');
    const after = await look(others);
    const outcome = result.match(
      () => 'success',
      (error) => (error.type === 'store_unavailable' ? error.outcome : error.type),
    );
    if (result.isOk()) expect(result.value).toEqual(operation.success);
    const isUnchanged = JSON.stringify(after.found) === JSON.stringify(before.found);
    if (outcome === 'not_applied' || outcome === 'corrupt_record')
      expect({ outcome, ...after }).toEqual({ outcome, ...before });
    if (!isUnchanged || outcome === 'success') expect(after).toEqual(await undisturbed(operation));
    expect(await missingEntries(client, settings)).toEqual([]);
    if (outcome === 'success') {
      const told = (await eventsAfter(others, '')).map(({ type, sequence }) =>
        type === 'session.deleted' ? undefined : sequence,
      );
      expect(told).toContain(after.found?.sequence);
    }
    return refused.sent();
  };

  describe.each(Object.entries(operations))('%s', (_, operation) => {
    test.each(Object.keys(refusals))(
      'answers truthfully and loses no index entry after %s',
      async (refusal) => {
        const sent = await runRefused(operation, refusal, () => false);
        for (let number = 1; number <= sent; number += 1) {
          await runRefused(operation, refusal, (each) => each === number);
          await runRefused(operation, refusal, (each) => each >= number);
        }
      },
    );
  });
});
