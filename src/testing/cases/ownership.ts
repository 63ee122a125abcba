import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, appendOf, begin, change, due, placed, put, putOf, remove } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { headOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import type { StoreCase } from '../store-case.js';

/** The parts of a session, new objects at each call, so that a case can change them. */
const sample = () => ({
  head: headOf('one', NOON, { face: 'ada' }),
  state: live('ACTIVE', {
    operations: ['start:a', 'start:b'],
    labels: { user: 'ann' },
    metadata: { nested: { list: [1, 2] } },
    deadline: NOON + 9,
    work: { wakeAt: NOON },
  }),
  entries: [say('hello'), { ...say('goodbye'), data: { tokens: [3] } }],
});

const page = (store: SessionStore) => answerOf(store.page(TENANT, { offset: 0, limit: 10 }));

/** Fails unless every read shows the sample. */
const expectSample = async (store: SessionStore, what: string): Promise<void> => {
  const { head, state, entries } = sample();
  const { records } = await page(store);
  const read = [await answerOf(store.find(key)), ...records];
  const parts = read.map((record) => [record?.head, record?.state, record?.history]);
  expectEqual(
    parts,
    [1, 2].map(() => [head, state, entries]),
    what,
  );
  expectEqual(await answerOf(store.findState(key)), state, `the state ${what}`);
};

export const ownership: readonly StoreCase<SessionStore>[] = [
  {
    name: 'ownership: changing what was read changes nothing in the store, nor for other readers',
    run: async (store) => {
      await begin(store, key, sample());
      const reads = [
        () => answerOf(store.find(key)),
        () => answerOf(store.find(key, { historyLimit: 1 })),
        () => answerOf(store.findState(key)),
        () => page(store),
        () => placed(store, key),
        () => due(store, NOON + 9),
        () => answerOf(store.take({ tenant: TENANT, now: NOON, until: NOON, limit: 1 })),
        () => change(store, appendOf(key, ['late'], { revision: 9 })),
      ];
      for (const [at, read] of reads.entries()) {
        const [mine, theirs] = [await read(), await read()];
        const expected = structuredClone(theirs);
        mutateDeeply(mine);
        expectEqual(theirs, expected, `what another reader has read, read ${at}`);
        await expectSample(store, `after read ${at}`);
      }
    },
  },
  {
    name: 'ownership: changing what was given changes nothing in the store, even frozen outside',
    run: async (store) => {
      for (const freeze of [<T>(value: T) => value, Object.freeze]) {
        await remove(store, key);
        const { head, state, entries } = sample();
        const earlier = live('IDLE', { labels: { user: 'bob' } });
        const [first, ...others] = entries;
        const commit = {
          key: { ...key },
          guards: {},
          effects: { head: freeze(head), state: earlier, entries: [first ?? say('')], events: [] },
        };
        const created = { type: 'created' as const, at: NOON };
        const effects = freeze({ ...commit.effects, events: [created] });
        await answerOf(store.begin(freeze({ ...commit, effects })));
        mutateDeeply([commit, earlier, effects]);
        const next = { ...state, revision: 2 };
        const changed = putOf({ ...key }, freeze(next), live('IDLE'));
        await change(store, freeze(changed));
        mutateDeeply([changed, next]);
        const last = { ...sample().state, revision: 1 };
        const back = putOf({ ...key }, { ...last, revision: 3 }, last);
        await change(store, freeze(back));
        mutateDeeply(back);
        const operation = operationOf('op');
        const appended = appendOf({ ...key }, [], { operation });
        const use = { ...appended, effects: { ...appended.effects, entries: freeze(others) } };
        await change(store, freeze(use));
        mutateDeeply([use, operation, others]);
        const found = await answerOf(store.find(key));
        expectEqual(found?.head, sample().head, 'the head');
        expectEqual(found?.history, sample().entries, 'the history');
        expectEqual(found?.state, { ...sample().state, revision: 3 }, 'the state');
        const again = appendOf(key, ['x'], { operation: operationOf('op') });
        expectEqual((await change(store, again)).outcome, 'repeated', 'the operation');
      }
    },
  },
  {
    name: 'ownership: changing a key or a range that was given changes nothing in the store',
    run: async (store) => {
      const given = { ...key };
      await begin(store, given, sample());
      mutateDeeply(given);
      const range = { offset: 0, limit: 10, labels: { user: 'ann' } };
      expectEqual((await answerOf(store.page(TENANT, range))).total, 1, 'the page');
      mutateDeeply(range);
      await expectSample(store, 'after the change of the range');
      expectEqual(await due(store, NOON + 9), [{ ...key, dueAt: NOON + 9 }], 'due');
    },
  },
  {
    name: 'ownership: later writes do not change what was read, even a long history',
    run: async (store) => {
      const contents = upTo(200).map((at) => `turn ${at}`);
      const entries = contents.map((content) => say(content));
      const { head, state } = sample();
      await begin(store, key, { head, state, entries });
      const found = await answerOf(store.find(key));
      const [listed] = (await page(store)).records;
      await append(store, key, ['more']);
      await put(store, key, live('PAUSED', { revision: 2 }));
      await remove(store, key);
      for (const record of [found, listed])
        expectEqual(
          [record?.state, record?.history, record?.historyCount],
          [state, entries, 200],
          'what was read before',
        );
    },
  },
];
