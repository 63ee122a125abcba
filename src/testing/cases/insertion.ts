import { REMEMBERED_OPERATIONS } from '../../session/session-record.js';
import type { EndReason } from '../../session/session-status.js';
import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  dueOf,
  expectStored,
  idsOn,
  insert,
  insertActive,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const states = [
  live('IDLE', { deadline: NOON + 1 }),
  live('ACTIVE', { revision: 2, activeMs: 1, limitMs: 2, deadline: NOON + 1 }),
  live('PAUSED', { revision: 3, activeMs: 86_399_999, limitMs: 86_400_000 }),
  ...(['terminated', 'failed', 'time_limit', 'idle_timeout'] satisfies EndReason[]).map((reason) =>
    ended(reason, { revision: 4, activeMs: 12_345 }),
  ),
];

/** Numbers that 32 bits, single precision or 15 decimal digits cannot hold. */
const numbers = [
  { timeLimit: 0.1, limitMs: 100, since: 0, activeMs: 99, deadline: 1, revision: 1 },
  {
    timeLimit: 2_592_000,
    limitMs: 2_592_000_000,
    since: NOON + 1,
    activeMs: 1,
    deadline: NOON + 2_592_000_000,
  },
  { timeLimit: 0.30000000000000004, limitMs: 300, since: NOON, activeMs: 0, deadline: NOON + 300 },
  {
    timeLimit: 1e-7,
    limitMs: 1,
    since: 253_402_300_799_999,
    activeMs: 0,
    deadline: 253_404_892_799_999,
  },
  {
    timeLimit: 1234567.891,
    limitMs: 1_234_567_891,
    since: NOON,
    activeMs: 1_234_567_890,
    revision: 4_294_967_297,
  },
];

export const insertion: readonly StoreCase[] = [
  {
    name: 'insert: the session is found as it was inserted, without history',
    run: async (store) => {
      const head = headOf('one', NOON + 2, {
        behavior: 'a tutor',
        context: 'algebra',
        timeLimit: 600,
      });
      const state = live('IDLE', { since: NOON + 2, limitMs: 600_000, deadline: NOON + 60_002 });
      await insert(store, key, head, state);
      await expectStored(store, key, { head, state, history: [] });
    },
  },
  {
    name: 'find: an unknown session is undefined, and no error',
    run: async (store) => {
      await insert(store, key);
      await expectStored(store, keyOf('two'), undefined);
      await expectStored(store, keyOf('one', 'globex'), undefined);
    },
  },
  {
    name: 'insert: a taken id is left as it is, whatever the state of its session',
    run: async (store) => {
      const other = headOf('one', NOON + 5, { face: 'bob' });
      const again = () =>
        answerOf(
          store.insert(TENANT, other, live('IDLE', { since: NOON + 5, deadline: NOON + 6 })),
        );
      const inserted = await insert(store, key);
      expectEqual(await again(), 'taken', 'insert of a taken id');
      await expectStored(store, key, inserted);

      const active = {
        ...inserted,
        state: live('ACTIVE', { revision: 2 }),
        history: [say('hello')],
      };
      await answerOf(replacing(store, key, active.state));
      await append(store, key, ['hello']);
      expectEqual(await again(), 'taken', 'insert of a taken id');
      await expectStored(store, key, active);

      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.records.map(contentsOf), [active], 'the page');
      expectEqual(page.total, 1, 'total');
      expectEqual(await dueOf(store, NOON + 1000, 10), [], 'due');
    },
  },
  {
    name: 'insert: sessions with the same options are different sessions',
    run: async (store) => {
      await insertActive(store, key);
      const two = await insert(store, keyOf('two'));
      await append(store, key, ['only in one']);
      await expectStored(store, keyOf('two'), two);
      expectEqual(await idsOn(store, TENANT), ['two', 'one'], 'the page');
    },
  },
  {
    name: 'find: every kind of state is read as it was written',
    run: async (store) => {
      for (const [index, state] of states.entries()) {
        const each = keyOf(`s${index}`);
        const inserted = await insert(store, each, headOf(each.id), state);
        await expectStored(store, each, inserted);
      }
    },
  },
  {
    name: 'find: the operations of a state are read as they were written, in their order',
    run: async (store) => {
      const operations = upTo(REMEMBERED_OPERATIONS).map(
        (index) => `${'op:A-z_0.9~'.repeat(5)}${index}`,
      );
      const inserted = await insert(store, key, headOf('one'), live('IDLE', { operations }));
      await expectStored(store, key, inserted);
      const state = live('ACTIVE', { revision: 2, operations: ['-', ...operations.slice(1)] });
      await answerOf(replacing(store, key, state));
      await expectStored(store, key, { ...inserted, state });
    },
  },
  {
    name: 'find: numbers are exact, and times have milliseconds',
    run: async (store) => {
      for (const [index, { timeLimit, ...phase }] of numbers.entries()) {
        const each = keyOf(`n${index}`);
        const inserted = await insert(
          store,
          each,
          headOf(each.id, phase.since, { timeLimit }),
          live('ACTIVE', phase),
        );
        await expectStored(store, each, inserted, each.id);
      }
    },
  },
];
