import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, contentsOf, errorOf, expectEqual, expectStored } from '../answers.js';
import {
  appendOf,
  begin,
  beginAt,
  DONE,
  due,
  find,
  idsOf,
  MADE,
  move,
  put,
  putOf,
  refused,
  remove,
  tryBegin,
} from '../commits.js';
import { known, send, take, waitingIds } from '../inbox-steps.js';
import { orders, pageOf } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT } from '../samples.js';
import type { StoredPart } from '../store-case.js';

type CorruptionCases = Readonly<
  Record<
    string,
    (
      store: SessionStore,
      corrupt: (key: SessionKey, part: StoredPart) => Promise<void>,
    ) => Promise<void>
  >
>;

const key = keyOf('bad');

/** Three sessions. Newest first they are newest, bad, oldest. */
const addThree = async (store: SessionStore) => {
  const newest = await beginAt(store, 'newest', 2);
  const entries = [say('hello'), say('goodbye')];
  await begin(store, key, { head: headOf('bad', NOON + 1), entries });
  const oldest = await begin(store, keyOf('oldest'), { head: headOf('oldest', NOON) });
  return { newest, oldest };
};

const ofPart = (part: StoredPart): CorruptionCases => ({
  [`corruption: reads of a damaged ${part} fail with corrupt_record`]: async (store, corrupt) => {
    await addThree(store);
    await corrupt(key, part);
    for (const _ of [1, 2]) {
      const error = await errorOf(store.find(key));
      expectEqual(error.type, 'corrupt_record', 'the error of find');
      expectEqual('id' in error && error.id, 'bad', 'the id in the error');
      for (const slice of part === 'head' ? [] : [{ limit: 10 }, { after: 0, limit: 10 }])
        expectEqual((await errorOf(store.entries(key, slice))).type, 'corrupt_record', 'entries');
    }
  },
  [`corruption: page lists a session with a damaged ${part} as unreadable`]: async (
    store,
    corrupt,
  ) => {
    const { newest, oldest } = await addThree(store);
    await corrupt(key, part);
    const page = await pageOf(store, {});
    expectEqual(page.records.map(contentsOf), [newest, oldest], 'records');
    expectEqual([page.unreadable, page.total], [['bad'], 3], 'the rest of the page');
    const cursor = { id: 'bad', at: headOf('bad', NOON + 1).createdAt };
    const alone = { records: [], unreadable: ['bad'], total: 3, nextCursor: cursor };
    expectEqual(await pageOf(store, { offset: 1, limit: 1 }), alone, 'the page of the bad one');
    for (const order of orders) {
      const next = await pageOf(store, { limit: 1, order, cursor });
      const expected = order === 'newest' ? oldest : newest;
      expectEqual(next.records.map(contentsOf), [expected], `the page after it, ${order} first`);
      expectEqual(next.unreadable, [], `unreadable on the page after it, ${order} first`);
      const two = await pageOf(store, { limit: 2, order });
      const found = [two.records.length, two.unreadable, two.nextCursor];
      expectEqual(found, [1, ['bad'], cursor], `two, ${order} first`);
    }
  },
  [`corruption: a session with a damaged ${part} keeps its id until it is removed`]: async (
    store,
    corrupt,
  ) => {
    await addThree(store);
    await corrupt(key, part);
    expectEqual(await tryBegin(store, key), refused('absent'), 'begin');
    expectEqual(await remove(store, key), DONE, 'remove');
    await expectStored(store, key, undefined);
    const page = await pageOf(store, {});
    expectEqual([page.records.length, page.total, page.unreadable], [2, 2, []], 'the page');
    await expectStored(store, key, await begin(store, key));
    expectEqual((await idsOf(store)).length, 3, 'the number of sessions');
  },
});

/** A take reads only these parts. */
const takeOf = (part: 'state' | 'head'): CorruptionCases => ({
  [`corruption: take reports a session with a damaged ${part}, and returns the others`]: async (
    store,
    corrupt,
  ) => {
    const state = live('ACTIVE', { work: { wakeAt: NOON } });
    for (const id of ['bad', 'newest']) await begin(store, keyOf(id), { state });
    await corrupt(key, part);
    const range = { tenant: TENANT, now: NOON + 5, until: NOON + 9, limit: 10 };
    const { sessions, failed } = await answerOf(store.take(range));
    const ids = sessions.map(({ id }) => id);
    expectEqual(ids, ['newest'], 'the sessions');
    const bad = failed.map((error) => error.type === 'corrupt_record' && error.id);
    expectEqual(bad, ['bad'], 'the ids of errors');
    const again = await answerOf(store.take(range));
    expectEqual([again.sessions, again.failed], [[], []], 'a take before its time is over');
  },
});

export const corruption: CorruptionCases = {
  ...ofPart('state'),
  ...takeOf('state'),
  ...ofPart('head'),
  ...takeOf('head'),
  ...ofPart('history'),
  'corruption: damaged messages affect no other message, history or session': async (
    store,
    corrupt,
  ) => {
    const [one, two] = [keyOf('one'), keyOf('two')];
    for (const of of [one, two]) {
      await begin(store, of);
      await send(store, ['a', 'b'], of);
    }
    await take(store, 1);
    await corrupt(one, 'inbox');
    for (const ids of [undefined, ['b']])
      expectEqual((await errorOf(store.messages(one, ids))).type, 'corrupt_record', 'messages');
    const { history = [] } = (await find(store, one)) ?? {};
    expectEqual([history.length, (await known(store, ['a'])).length], [1, 1], 'what was taken');
    expectEqual(await waitingIds(store, two), ['a', 'b'], 'the other inbox');
  },
  'corruption: no change overwrites a damaged state': async (store, corrupt) => {
    await addThree(store);
    await corrupt(key, 'state');
    const errors = [
      await errorOf(store.findState(key)),
      await errorOf(store.change(putOf(key, ended('failed', { revision: 2 })))),
      await errorOf(store.change(appendOf(key, ['more'], { open: NOON }))),
      await errorOf(store.find(key)),
    ];
    for (const error of errors) expectEqual(error.type, 'corrupt_record', 'the error');
  },
  'corruption: due returns damaged sessions, and a move postpones them': async (store, corrupt) => {
    await addThree(store);
    const ids = async (now: number) => (await due(store, now)).map(({ id }) => id).toSorted();
    for (const id of ['newest', 'bad'])
      await put(store, keyOf(id), live('PAUSED', { deadline: NOON + 1 }));
    await corrupt(key, 'state');
    expectEqual(await ids(NOON + 1), ['bad', 'newest'], 'the due sessions');
    expectEqual(await move(store, key, NOON + 1, NOON + 100), MADE, 'move');
    expectEqual(await ids(NOON + 99), ['newest'], 'due before');
    expectEqual(await ids(NOON + 100), ['bad', 'newest'], 'due then');
  },
};
