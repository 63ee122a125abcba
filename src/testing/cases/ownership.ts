import { expectEqual } from '../expect.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import { answerOf, append, contentsOf, dueOf, expectStored, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

/** Changes all that lets itself be changed, from the innermost out. What is frozen stays, and that is right too. */
const vandalize = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    vandalize(inner);
    Reflect.set(value, name, 'vandalized');
  }
  Reflect.set(value, Array.isArray(value) ? value.length : 'added', 'vandalized');
};

const sample = () => ({
  head: headOf('one', NOON, { context: 'algebra' }),
  state: live('ACTIVE', { revision: 2, operations: ['start'] }),
  history: [say('hello'), say('goodbye')],
});

export const ownership: readonly StoreCase[] = [
  {
    name: 'ownership: what a caller has read is its own, and changing it changes nothing in the store',
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
          (await answerOf(store.list(TENANT, { offset: 0, limit: 10 }))).records.map(({ history }) => history),
        () => answerOf(store.replace(key, live('PAUSED', { revision: 9 }))),
        () =>
          answerOf(store.append(key, { entries: [say('too late')], now: Number.MAX_SAFE_INTEGER, operationId: 'op' })),
      ];
      for (const [index, once] of read.entries()) {
        vandalize(await once());
        await expectStored(store, key, sample(), `the record after reading ${index}`);
      }
      const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      expectEqual(page.records.map(contentsOf), [sample()], 'records');
    },
  },
  {
    name: 'ownership: the state in the answer to a refused append is the caller\u2019s own too',
    run: async (store) => {
      const { head } = sample();
      const state = live('IDLE', { operations: ['a', 'b'] });
      await answerOf(store.insert(TENANT, head, state));
      vandalize(await answerOf(store.append(key, { entries: [say('too early')], now: NOON })));
      const expected = live('IDLE', { operations: ['a', 'b'] });
      await expectStored(store, key, { head: sample().head, state: expected, history: [] });
    },
  },
  {
    name: 'ownership: what a caller gave is kept as it was, whatever becomes of it later',
    run: async (store) => {
      const { head, state, history } = sample();
      const idle = live('IDLE');
      await answerOf(store.insert(TENANT, head, idle));
      vandalize(head);
      vandalize(idle);
      await answerOf(store.replace(key, state));
      vandalize(state);
      await answerOf(store.append(key, { entries: history, now: NOON }));
      vandalize(history);
      await expectStored(store, key, sample());
    },
  },
  {
    name: 'ownership: a due session is the caller\u2019s own',
    run: async (store) => {
      await answerOf(store.insert(TENANT, sample().head, live('IDLE', { deadline: NOON })));
      vandalize(await dueOf(store, NOON, 10));
      expectEqual(await dueOf(store, NOON, 10), [{ ...key, deadline: NOON }], 'due');
    },
  },
  {
    name: 'ownership: a record that was read stays as it was, whatever is written later',
    run: async (store) => {
      await insertActive(store, key, sample().head);
      await append(store, key, ['hello']);
      const found = await answerOf(store.find(key));
      const [listed] = (await answerOf(store.list(TENANT, { offset: 0, limit: 1 }))).records;
      await append(store, key, ['goodbye']);
      await replace(store, key, live('PAUSED', { revision: 3 }));
      const expected = { head: sample().head, state: live('ACTIVE', { revision: 2 }), history: [say('hello')] };
      expectEqual(found && contentsOf(found), expected, 'the record found before');
      expectEqual(listed && contentsOf(listed), expected, 'the record listed before');
      await answerOf(store.remove(key));
      expectEqual(found && contentsOf(found), expected, 'the record found before');
    },
  },
  {
    name: 'ownership: a long history is the caller\u2019s own too, and stays as it was read',
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
      vandalize(again?.history);
      const history = [...first, 'one more'].map((content) => say(content));
      await expectStored(store, key, { ...stored, history });
      await append(store, key, ['and another']);
      await expectStored(store, key, { ...stored, history: [...history, say('and another')] });
    },
  },
];
