import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  beginOf,
  change,
  due,
  made,
  placed,
  put,
  putOf,
  remove,
} from '../commits.js';
import { eventsAfter, hasEvents } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { key } from '../guarded.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { pageOf } from '../page-steps.js';
import { headOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

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

/** Fails unless every read shows the sample. */
const expectSample = async (store: SessionStore, what: string): Promise<void> => {
  const { head, state, entries } = sample();
  const { records } = await pageOf(store, {});
  const read = [await answerOf(store.find(key)), ...records];
  const parts = read.map((record) => [record?.head, record?.state, record?.history]);
  expectEqual(
    parts,
    [1, 2].map(() => [head, state, entries]),
    what,
  );
  expectEqual(await answerOf(store.findState(key)), state, `the state ${what}`);
};

export const ownership: readonly PortCase[] = [
  {
    name: 'ownership: changing what was read changes nothing in the store, nor for other readers',
    run: async (store) => {
      const [given, range] = [{ ...key }, { labels: { user: 'ann' } }];
      await begin(store, given, sample());
      expectEqual((await pageOf(store, range)).total, 1, 'the sessions with its label');
      mutateDeeply([given, range]);
      const reads = [
        () => answerOf(store.find(key)),
        () => answerOf(store.find(key, { historyLimit: 1 })),
        () => answerOf(store.findState(key)),
        () => pageOf(store, {}),
        () => placed(store, key),
        () => due(store, NOON + 9),
        async () => ((await hasEvents(store)) ? eventsAfter(store, '0') : []),
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
        const last = { ...sample().state, revision: 3 };
        const begun = beginOf(
          { ...key },
          {
            head: freeze(head),
            state: live('IDLE', { labels: { user: 'bob' } }),
            entries: freeze(entries.slice(0, 1)),
          },
        );
        await answerOf(store.begin(freeze(begun)));
        mutateDeeply(begun);
        const appended = appendOf({ ...key }, [], { operation: operationOf('op') });
        for (const commit of [
          putOf({ ...key }, freeze({ ...state, revision: 2 }), live('IDLE')),
          putOf({ ...key }, last, { ...last }),
          { ...appended, effects: { ...appended.effects, entries: freeze(entries.slice(1)) } },
        ]) {
          await made(store, freeze(commit));
          mutateDeeply(commit);
        }
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
    name: 'ownership: changing messages that were sent or read changes nothing in the store',
    run: async (store) => {
      await begin(store, key);
      const { entry, digest } = messageOf('a');
      const message = { entry: { ...entry, data: { tokens: [3] } }, digest };
      const sent = sendOf(message, {}, { of: { ...key } });
      const expected = structuredClone(sent.effects.send?.entry);
      await made(store, sent);
      mutateDeeply(sent);
      for (const ids of [undefined, ['a'], undefined]) {
        const found = await answerOf(store.messages(key, ids));
        expectEqual(found, [{ id: 'a', digest, entry: expected }], 'the messages');
        mutateDeeply(found);
      }
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
      const [listed] = (await pageOf(store, {})).records;
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
