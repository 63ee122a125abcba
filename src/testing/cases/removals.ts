import type { StateRecord } from '../../session/session-record.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectEqual } from '../answers.js';
import {
  addGuarded,
  append,
  begin,
  change,
  DONE,
  due,
  expectDue,
  expectUnchanged,
  FAR,
  find,
  guardedState,
  idsOf,
  key,
  MADE,
  move,
  put,
  putOf,
  refused,
  remove,
  stateOf,
  tryPut,
  waiting,
} from '../commits.js';
import { expectOutcome } from '../history-steps.js';
import { listed } from '../page-steps.js';
import { keyOf, live, NOON } from '../samples.js';
import type { Cases } from '../store-case.js';

/** What is left of the guarded session. */
const left = { ...key, removal: '5' };

/** What a removal leaves, due at a time. */
const remainsOf = (state: StateRecord, removal: string, dueAt: number, revision: number) => ({
  removal,
  state: { ...state, revision, report: { removal, dueAt, removedAt: NOON } },
});

const addBoth = async (store: SessionStore): Promise<void> => {
  await begin(store, keyOf('other'));
  await addGuarded(store);
};

const expectGone = async (store: SessionStore): Promise<void> => {
  expectEqual(await find(store), undefined, 'find');
  expectEqual(await stateOf(store), undefined, 'findState');
  await expectOutcome(store, key, {}, 'missing');
  expectEqual(await idsOf(store), ['other'], 'the list');
  expectEqual((await listed(store, { labels: { user: 'ann' } })).total, 0, 'the list of its label');
  expectEqual(await waiting(store, FAR), 0, 'waiting');
};

export const removals: Cases = {
  'remove: takes one session out of every read, list and queue': async (
    store,
    second,
  ) => {
    await addBoth(store);
    expectEqual(await remove(store, key), DONE, 'remove');
    for (const each of [store, second]) {
      await expectGone(each);
      expectEqual(await due(each, FAR), [], 'due');
      expectEqual(await remove(each, key), refused('present'), 'again');
    }
  },
  'remove: checks present, revision and unusedSince in this order, and writes nothing if one fails':
    async (store) => {
      await addGuarded(store);
      const remains = remainsOf(guardedState, '5', NOON, 6);
      await expectUnchanged(store, 'after the refusals', async () => {
        const used = { unusedSince: NOON - 1 };
        for (const [what, guard, guards, of = key] of [
          ['no session', 'present', { revision: 4, ...used }, keyOf('two')],
          ['another revision', 'revision', { revision: 4, ...used }],
          ['the revision 0', 'revision', { revision: 0 }],
          ['a session that was used', 'unusedSince', { revision: 5, ...used }],
          ['another tenant', 'present', {}, keyOf('one', 'globex')],
          ['what is left of none', 'present', {}, left],
        ] as const)
          expectEqual(await remove(store, of, guards, remains), refused(guard), what);
      });
      expectEqual(await remove(store, key, { revision: 5, unusedSince: NOON }), DONE, 'remove');
    },
  'remains: only due and findState return what is left of a removed session': async (store, second) => {
    await addBoth(store);
    const remains = remainsOf(guardedState, '5', NOON + 20, 6);
    await remove(store, key, {}, remains);
    await expectGone(second);
    await expectDue(second, left, NOON + 20);
    expectEqual(await stateOf(second, left), remains.state, 'its state');
  },
  'remains: can be put, moved and removed, by their revision': async (store) => {
    await addBoth(store);
    const { state } = remainsOf(guardedState, '5', NOON + 20, 6);
    await remove(store, key, {}, { removal: '5', state });
    const report = { removal: '5', dueAt: NOON + 50, removedAt: NOON };
    const next = await put(store, left, { ...state, report });
    const stale = await change(store, putOf(left, next, state));
    expectEqual(stale, refused('revision', { state: next }), 'a put again');
    await expectDue(store, left, NOON + 50, 'after a put');
    await expectGone(store);
    expectEqual(await move(store, left, NOON + 50, NOON + 70), MADE, 'move');
    await expectDue(store, left, NOON + 70, 'after a move');
    expectEqual(await remove(store, left, { revision: 6 }), refused('revision'), 'stale');
    expectEqual(await remove(store, left, { revision: 7 }), DONE, 'the removal');
    expectEqual(await due(store, FAR), [], 'due after the removal');
    expectEqual(await stateOf(store, left), undefined, 'the state');
    expectEqual(await tryPut(store, left, next), refused('present'), 'a put after the removal');
  },
  'remains: are separate for each session that had the id, and from a new one': async (
    store,
  ) => {
    for (const at of [1, 2]) {
      const state = live('ACTIVE', { labels: { user: `${at}` } });
      await begin(store, key, { state });
      await remove(store, key, {}, remainsOf(state, `${at}`, NOON + at, 9));
    }
    await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 3 }) });
    await append(store, key, ['x']);
    const all = [
      { ...key, removal: '1', dueAt: NOON + 1 },
      { ...key, removal: '2', dueAt: NOON + 2 },
      { ...key, dueAt: NOON + 3 },
    ];
    expectEqual(await due(store, FAR), all, 'due');
    const second = await stateOf(store, { ...key, removal: '2' });
    expectEqual(second?.labels, { user: '2' }, 'the labels');
    await remove(store, { ...key, removal: '1' });
    expectEqual(await due(store, FAR), all.slice(1), 'due after a removal');
    await remove(store, key);
    expectEqual(await due(store, FAR), all.slice(1, 2), 'due without the session');
  },
  'report: reportsEnds returns the same boolean in all processes': async (store, second) => {
    const answer = await answerOf(store.reportsEnds());
    expectEqual(typeof answer, 'boolean', 'reportsEnds');
    expectEqual(await answerOf(second.reportsEnds()), answer, 'in another process');
  },
};

/** For stores with limits of live sessions. */
export const removalsAndLimits: Cases = {
  'remains: count towards no limit, and are in no list by status': async (store) => {
    const state = live('ACTIVE');
    await begin(store, key, { state });
    await remove(store, key, {}, remainsOf(state, '1', NOON, 2));
    await begin(store, keyOf('two'), { guards: { live: { sessions: 1, now: NOON } } });
    const status = { anyOf: ['ACTIVE' as const], now: NOON };
    expectEqual((await listed(store, { status })).ids, ['two'], 'the ACTIVE sessions');
  },
};
