import type { SessionStore } from '../../store/session-store.js';
import { answerOf, type Contents, contentsOf, expectEqual, expectStored } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  beginOf,
  change,
  due,
  everything,
  find,
  foundIn,
  key,
  made,
  placed,
  put,
  putOf,
  remove,
  stateOf,
} from '../commits.js';
import { eventsAfter, hasEvents } from '../event-steps.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { pageOf } from '../page-steps.js';
import { ended, headOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

/** The parts of a session. Each call returns new objects, which a case may change. */
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

const expectSample = async (store: SessionStore, what: string): Promise<void> => {
  const { head, state, entries } = sample();
  const expected = { head, state, history: entries };
  await expectStored(store, key, expected, what);
  expectEqual((await pageOf(store, {})).records.map(contentsOf), [expected], `the page ${what}`);
};

export const ownership: Cases = {
  'ownership: changing what was read affects neither the store nor other readers': async (
    store,
  ) => {
    const [given, range] = [{ ...key }, { labels: { user: 'ann' } }];
    await begin(store, given, sample());
    const end = (await find(store))?.historyPosition ?? 0;
    expectEqual((await pageOf(store, range)).total, 1, 'the sessions with its label');
    mutateDeeply([given, range]);
    const reads = [
      () => find(store),
      () => find(store, key, { historyLimit: 1 }),
      () => stateOf(store),
      () => pageOf(store, {}),
      () => placed(store),
      () => foundIn(store, { limit: 2 }),
      () => foundIn(store, { before: end, limit: 2 }),
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
  'ownership: changing arguments after a call affects nothing in the store': async (store) => {
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
      const found = await find(store);
      expectEqual(found?.head, sample().head, 'the head');
      expectEqual(found?.history, sample().entries, 'the history');
      expectEqual(found?.state, { ...sample().state, revision: 3 }, 'the state');
      const again = appendOf(key, ['x'], { operation: operationOf('op') });
      expectEqual((await change(store, again)).outcome, 'repeated', 'the operation');
    }
  },
  'ownership: changing messages after a send or a read affects nothing in the store': async (
    store,
  ) => {
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
  'ownership: later writes do not change records that were read': async (store) => {
    const entries = upTo(200).map((at) => say(`turn ${at}`));
    const { head, state } = sample();
    await begin(store, key, { head, state, entries });
    const found = await find(store);
    const [listed] = (await pageOf(store, {})).records;
    await append(store, key, ['more']);
    await put(store, key, live('PAUSED'));
    await remove(store, key);
    for (const record of [found, listed])
      expectEqual(
        [record?.state, record?.history, record?.historyCount],
        [state, entries, 200],
        'what was read before',
      );
  },
  'two stores: each immediately reads what the other wrote': async (store, second) => {
    const both = async (expected: Contents | undefined, what: string) => {
      await expectStored(store, key, expected, what);
      const [one, other] = [await everything(store), await everything(second)];
      expectEqual(other, one, `what the second store reads after ${what}`);
    };
    await both(undefined, 'nothing');
    const head = headOf('one', NOON, { context: 'algebra' });
    let stored = await begin(second, key, { head, state: live('IDLE') });
    await both(stored, 'a new session');
    const expectChanged = async (changes: Partial<Contents>, what: string) => {
      stored = { ...stored, ...changes };
      await both(stored, what);
    };
    const state = await put(store, key, live('ACTIVE', { deadline: NOON + 10 }));
    await expectChanged({ state }, 'a started session');
    await append(second, key, ['hello']);
    await expectChanged({ history: [say('hello')] }, 'an entry');
    await append(store, key, ['goodbye']);
    await expectChanged({ history: [say('hello'), say('goodbye')] }, 'two entries');
    const over = await put(second, key, ended('terminated'));
    await expectChanged({ state: over }, 'a session that has ended');
    await remove(store, key);
    await both(undefined, 'a removed session');
    await both(await begin(second, key), 'a new session under the id');
  },
};
