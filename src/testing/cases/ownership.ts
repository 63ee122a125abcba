import { expectEqual } from '../expect-equal.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import {
  answerOf,
  append,
  contentsOf,
  dueOf,
  expectStored,
  idsOn,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const sample = () => ({
  head: headOf('one', NOON, { context: 'algebra' }),
  state: live('ACTIVE', { revision: 2, operations: ['start'] }),
  history: [say('hello'), say('goodbye')],
});

export const ownership: readonly StoreCase[] = [
  {
    name: 'ownership: changing what was read changes nothing in the store',
    run: async (store) => {
      const { head, state } = sample();
      await answerOf(store.insert(TENANT, head, live('IDLE')));
      await replace(store, key, state);
      await append(store, key, ['hello', 'goodbye'], 'op');
      const read = [
        () => answerOf(store.find(key)),
        () => answerOf(store.findState(key)),
        () => answerOf(store.list(TENANT, { offset: 0, limit: 10 })),
        async () => (await answerOf(store.find(key)))?.head.options,
        async () => (await answerOf(store.find(key)))?.history,
        async () =>
          (await answerOf(store.list(TENANT, { offset: 0, limit: 10 }))).records.map(
            ({ history }) => history,
          ),
        () => answerOf(replacing(store, key, live('PAUSED', { revision: 9 }))),
        () =>
          answerOf(
            store.append(key, {
              entries: [say('too late')],
              now: Number.MAX_SAFE_INTEGER,
              operation: operationOf('op'),
            }),
          ),
      ];
      for (const [index, once] of read.entries()) {
        mutateDeeply(await once());
        await expectStored(store, key, sample(), `the record after reading ${index}`);
      }
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.records.map(contentsOf), [sample()], 'records');
    },
  },
  {
    name: 'ownership: two callers who read the same session share nothing',
    run: async (store) => {
      const { head, state } = sample();
      await answerOf(store.insert(TENANT, head, live('IDLE')));
      await replace(store, key, state);
      await append(store, key, ['hello', 'goodbye']);
      const page = () => answerOf(store.list(TENANT, { offset: 0, limit: 1 }));
      const read = async () => {
        const listed = (await page()).records;
        return [await answerOf(store.find(key)), ...listed].map(
          (record) => record && contentsOf(record),
        );
      };
      const [mine, theirs] = [await read(), await read()];
      const [stateOfMine, stateOfTheirs] = [
        await answerOf(store.findState(key)),
        await answerOf(store.findState(key)),
      ];
      mutateDeeply(mine);
      mutateDeeply(stateOfMine);
      expectEqual(theirs, [sample(), sample()], 'what the other caller has read');
      expectEqual(stateOfTheirs, sample().state, 'the state that the other caller has read');
      const [first, second] = [await answerOf(store.find(key)), await answerOf(store.find(key))];
      mutateDeeply(first);
      expectEqual(
        second && contentsOf(second),
        sample(),
        'the record that the other caller has found',
      );
    },
  },
  {
    name: 'ownership: changing the state in the answer to a refused append changes nothing in the store',
    run: async (store) => {
      const { head } = sample();
      const state = live('IDLE', { operations: ['a', 'b'] });
      await answerOf(store.insert(TENANT, head, state));
      mutateDeeply(await answerOf(store.append(key, { entries: [say('too early')], now: NOON })));
      const expected = live('IDLE', { operations: ['a', 'b'] });
      await expectStored(store, key, { head: sample().head, state: expected, history: [] });
    },
  },
  {
    name: 'ownership: changing what was given to the store changes nothing in the store',
    run: async (store) => {
      const { head, state, history } = sample();
      const idle = live('IDLE');
      await answerOf(store.insert(TENANT, head, idle));
      mutateDeeply(head);
      mutateDeeply(idle);
      await answerOf(replacing(store, key, state));
      mutateDeeply(state);
      const call = { entries: history, now: NOON, operation: operationOf('op') };
      const first = await answerOf(store.append(key, call));
      mutateDeeply(call);
      await expectStored(store, key, sample());
      const again = await answerOf(
        store.append(key, { entries: [say('again')], now: NOON, operation: operationOf('op') }),
      );
      expectEqual(again, { ...first, repeated: true }, 'the same operation');
      await expectStored(store, key, sample());
    },
  },
  {
    name: 'ownership: changing the inner parts of frozen objects that were given to the store changes nothing in it',
    run: async (store) => {
      const { head, state, history } = sample();
      await answerOf(store.insert(TENANT, Object.freeze(head), live('IDLE')));
      await answerOf(replacing(store, key, Object.freeze(state)));
      await answerOf(
        store.append(key, Object.freeze({ entries: Object.freeze(history), now: NOON })),
      );
      for (const given of [head, state, history]) mutateDeeply(given);
      await expectStored(store, key, sample());
    },
  },
  {
    name: 'ownership: changing a key or a range that was given to the store changes nothing in the store',
    run: async (store) => {
      await insertActive(store, key);
      await insertActive(store, keyOf('two'));
      const given = { tenant: TENANT, id: 'one' };
      const deadline = NOON + 1;
      await replace(store, given, live('PAUSED', { revision: 3, deadline }));
      await append(store, given, ['hello']);
      mutateDeeply(given);
      expectEqual(await dueOf(store, deadline, 10), [{ ...key, dueAt: deadline }], 'due');
      const range = { offset: 0, limit: 1, cursor: { id: 'two', at: headOf('two').createdAt } };
      const first = await answerOf(store.list(TENANT, range));
      expectEqual(
        first.records.map(({ head }) => head.id),
        ['one'],
        'the ids after a position',
      );
      mutateDeeply(range);
      expectEqual(await idsOn(store, TENANT), ['two', 'one'], 'the ids');
    },
  },
  {
    name: 'ownership: changing a due session changes nothing in the store',
    run: async (store) => {
      await answerOf(store.insert(TENANT, sample().head, live('IDLE', { deadline: NOON })));
      mutateDeeply(await dueOf(store, NOON, 10));
      expectEqual(await dueOf(store, NOON, 10), [{ ...key, dueAt: NOON }], 'due');
    },
  },
  {
    name: 'ownership: later writes do not change a record that was read',
    run: async (store) => {
      await insertActive(store, key, sample().head);
      await append(store, key, ['hello']);
      const found = await answerOf(store.find(key));
      const [listed] = (await answerOf(store.list(TENANT, { offset: 0, limit: 1 }))).records;
      await append(store, key, ['goodbye']);
      await replace(store, key, live('PAUSED', { revision: 3 }));
      const expected = {
        head: sample().head,
        state: live('ACTIVE', { revision: 2 }),
        history: [say('hello')],
      };
      expectEqual(found && contentsOf(found), expected, 'the record found before');
      expectEqual(listed && contentsOf(listed), expected, 'the record listed before');
      await answerOf(store.remove(key));
      expectEqual(found && contentsOf(found), expected, 'the record found before');
    },
  },
  {
    name: 'ownership: later writes do not change a long history that was read, nor the other way round',
    run: async (store) => {
      const stored = await insertActive(store, key, sample().head);
      const first = upTo(200).map((index) => `turn ${index}`);
      await append(store, key, first);
      const found = await answerOf(store.find(key));
      await append(store, key, ['one more']);
      expectEqual(
        found && contentsOf(found).history,
        first.map((content) => say(content)),
        'the history found before',
      );
      const again = await answerOf(store.find(key));
      mutateDeeply(again?.history);
      const history = [...first, 'one more'].map((content) => say(content));
      await expectStored(store, key, { ...stored, history });
      await append(store, key, ['and another']);
      await expectStored(store, key, { ...stored, history: [...history, say('and another')] });
    },
  },
];
