import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  dueOf,
  errorOf,
  expectStored,
  insert,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoredPart } from '../store-case.js';
import type { SessionKey, TodaysStore } from '../todays-store.js';

/** A case that can damage a stored session. */
export interface CorruptionCase {
  readonly name: string;
  run(
    store: TodaysStore,
    corrupt: (key: SessionKey, part: StoredPart) => Promise<void>,
  ): Promise<void>;
}

const key = keyOf('bad');

/** Makes a session wait for a worker. */
const wake = (store: TodaysStore, of: SessionKey) =>
  answerOf(store.append(of, { entries: [say('wake')], now: NOON + 5, wake: { revision: 9 } }));

const insertThree = async (store: TodaysStore) => {
  const newest = await insertActive(store, keyOf('newest'), headOf('newest', NOON + 2));
  await insertActive(store, key, headOf('bad', NOON + 1));
  await append(store, key, ['hello', 'goodbye'], 'op');
  const oldest = await insert(store, keyOf('oldest'), headOf('oldest', NOON));
  return { newest, oldest };
};

const ofPart = (part: StoredPart): readonly CorruptionCase[] => [
  {
    name: `corruption: find answers corrupt_record, every time, for a session with a damaged ${part}`,
    run: async (store, corrupt) => {
      await insertThree(store);
      await corrupt(key, part);
      for (const _ of [1, 2]) {
        const error = await errorOf(store.find(key));
        expectEqual(error.type, 'corrupt_record', 'the error of find');
        expectEqual('id' in error && error.id, 'bad', 'the id in the error');
      }
    },
  },
  {
    name: `corruption: list gives the other sessions, and the id of one with a damaged ${part}`,
    run: async (store, corrupt) => {
      const { newest, oldest } = await insertThree(store);
      await corrupt(key, part);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.records.map(contentsOf), [newest, oldest], 'records');
      expectEqual(page.unreadable, ['bad'], 'unreadable');
      expectEqual(page.total, 3, 'total');
      const alone = await answerOf(store.list(TENANT, { offset: 1, limit: 1 }));
      const position = { id: 'bad', at: headOf('bad', NOON + 1).createdAt };
      expectEqual(
        alone,
        { records: [], unreadable: ['bad'], total: 3, nextCursor: position },
        'the page of the bad one',
      );
      for (const order of ['newest', 'oldest'] as const) {
        const next = await answerOf(
          store.list(TENANT, { offset: 0, limit: 1, order, cursor: position }),
        );
        const found = next.records.map(({ head }) => head.id);
        expectEqual(
          found,
          [order === 'newest' ? 'oldest' : 'newest'],
          `what follows the bad one, ${order} first`,
        );
        const both = await answerOf(store.list(TENANT, { offset: 0, limit: 2, order }));
        expectEqual(
          [both.records.length, both.unreadable, both.nextCursor],
          [1, ['bad'], position],
          `two, ${order} first`,
        );
      }
      const next = await answerOf(store.list(TENANT, { offset: 2, limit: 1 }));
      expectEqual(next.records.map(contentsOf), [oldest], 'records of the page after it');
      expectEqual(next.unreadable, [], 'unreadable on the page after it');
    },
  },
  {
    name: `corruption: a session with a damaged ${part} keeps its id until it is removed`,
    run: async (store, corrupt) => {
      const { newest } = await insertThree(store);
      await corrupt(key, part);
      expectEqual(
        await answerOf(store.insert(TENANT, headOf('bad'), live('IDLE'))),
        'taken',
        'insert',
      );
      expectEqual(await answerOf(store.remove(key)), 'removed', 'remove');
      await expectStored(store, key, undefined);
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual([page.records.length, page.total, page.unreadable], [2, 2, []], 'the page');
      const inserted = await insert(store, key);
      await expectStored(store, key, inserted);
      await expectStored(store, keyOf('newest'), newest);
    },
  },
];

/** Of the parts that a claim reads. */
const claimOf = (part: Exclude<StoredPart, 'history'>): CorruptionCase => ({
  name: `corruption: claim gives the other sessions, and the id of one with a damaged ${part}`,
  run: async (store, corrupt) => {
    await insertThree(store);
    for (const id of ['bad', 'newest']) await wake(store, keyOf(id));
    await corrupt(key, part);
    const range = { tenant: TENANT, now: NOON + 5, until: NOON + 9, limit: 10 };
    const { sessions, failed } = await answerOf(store.claim(range));
    expectEqual(
      sessions.map(({ id }) => id),
      ['newest'],
      'the sessions',
    );
    expectEqual(
      failed.map((error) => error.type === 'corrupt_record' && error.id),
      ['bad'],
      'the ids of errors',
    );
    const again = await answerOf(store.claim(range));
    expectEqual([again.sessions, again.failed], [[], []], 'a claim before its time is over');
  },
});

export const corruption: readonly CorruptionCase[] = [
  ...ofPart('state'),
  claimOf('state'),
  ...ofPart('head'),
  claimOf('head'),
  ...ofPart('history'),
  {
    name: 'corruption: no write overwrites a damaged state',
    run: async (store, corrupt) => {
      await insertThree(store);
      await corrupt(key, 'state');
      const call = { entries: [say('more')], now: NOON, operation: operationOf('new') };
      const errors = [
        await errorOf(store.findState(key)),
        await errorOf(replacing(store, key, ended('failed', { revision: 3 }))),
        await errorOf(store.append(key, call)),
        await errorOf(store.find(key)),
      ];
      for (const error of errors) expectEqual(error.type, 'corrupt_record', 'the error');
    },
  },
  ...(['state', 'history'] as const).map(
    (part): CorruptionCase => ({
      name: `corruption: findEntries answers corrupt_record for a session with a damaged ${part}`,
      run: async (store, corrupt) => {
        await insertThree(store);
        await corrupt(key, part);
        for (const slice of [{ limit: 10 }, { after: 0, limit: 10 }]) {
          const error = await errorOf(store.findEntries(key, slice));
          expectEqual(error.type, 'corrupt_record', 'the error');
        }
      },
    }),
  ),
  {
    name: 'corruption: due finds the other sessions besides a damaged one, which can be postponed',
    run: async (store, corrupt) => {
      await insertThree(store);
      for (const id of ['newest', 'bad']) {
        await replace(store, keyOf(id), live('PAUSED', { revision: 3, deadline: NOON + 1 }));
      }
      await corrupt(key, 'state');
      const due = await dueOf(store, NOON + 1, 10);
      expectEqual(due.filter(({ id }) => id === 'newest').length, 1, 'the good one among the due');
      expectEqual(due.filter(({ id }) => id === 'bad').length, 1, 'the damaged one among the due');
      const later = { from: NOON + 1, to: NOON + 100, isDamaged: true };
      expectEqual(await answerOf(store.reschedule(key, later)), 'moved', 'reschedule');
      const ids = async (now: number) => (await dueOf(store, now, 10)).map(({ id }) => id);
      expectEqual(await ids(NOON + 99), ['newest'], 'due before');
      expectEqual(await ids(NOON + 100), ['newest', 'bad'], 'due then');
    },
  },
];
