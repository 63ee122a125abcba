import type { StateRecord } from '../../session/session-record.js';
import type { DueKey, SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, begin, change, due, idsOf, move, put, putOf, remove, tryPut } from '../commits.js';
import { eventsAfter } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { addGuarded, expectUnchanged, guardedState, key } from '../guarded.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import type { StoreCase } from '../store-case.js';

const FAR = NOON + 1e9;

const refused = (guard: string) => ({ outcome: 'refused', guard });

const MADE = { outcome: 'made' };

/** What a removal leaves, due at a time. */
const remainsOf = (state: StateRecord, removal: string, dueAt: number, revision: number) => ({
  removal,
  state: { ...state, revision, report: { removal, dueAt, removedAt: NOON } },
});

const expectGone = async (store: SessionStore): Promise<void> => {
  expectEqual(await answerOf(store.find(key)), undefined, 'find');
  expectEqual(await answerOf(store.findState(key)), undefined, 'findState');
  const missing = { outcome: 'missing' };
  expectEqual(await answerOf(store.entries(key, { limit: 1 })), missing, 'entries');
  expectEqual(await idsOf(store, TENANT), ['other'], 'the list');
  const range = { offset: 0, limit: 10, labels: { user: 'ann' } };
  expectEqual((await answerOf(store.page(TENANT, range))).total, 0, 'the list of its label');
  const waiting = { tenant: TENANT, now: FAR, limit: 10 };
  expectEqual(await answerOf(store.countWaiting(waiting)), 0, 'waiting');
};

export const removals: readonly StoreCase<SessionStore>[] = [
  {
    name: 'remove: a session is gone from every read, list and queue, and others stay',
    run: async (store, second) => {
      await begin(store, keyOf('other'));
      await addGuarded(store);
      expectEqual(await remove(store, key), MADE, 'remove');
      for (const each of [store, second]) {
        await expectGone(each);
        expectEqual(await due(each, FAR), [], 'due');
        expectEqual(await remove(each, key), refused('present'), 'again');
      }
    },
  },
  {
    name: 'remove: is refused by present, revision and unusedSince, in this order, and writes nothing',
    run: async (store) => {
      await addGuarded(store);
      const remains = remainsOf(guardedState, '5', NOON, 6);
      await expectUnchanged(store, 'after the refusals', async () => {
        const fails = { revision: 4, unusedSince: NOON - 1 };
        const of = (guards: { revision?: number; unusedSince?: number }, of: DueKey = key) =>
          remove(store, of, guards, remains);
        expectEqual(await of(fails, keyOf('two')), refused('present'), 'no session');
        expectEqual(await of(fails), refused('revision'), 'another revision');
        expectEqual(await of({ revision: 0 }), refused('revision'), 'the revision 0');
        const used = { revision: 5, unusedSince: NOON - 1 };
        expectEqual(await of(used), refused('unusedSince'), 'a session that was used');
        const other = keyOf('one', 'globex');
        expectEqual(await of({}, other), refused('present'), 'another tenant');
        const left = { ...key, removal: '5' };
        expectEqual(await of({}, left), refused('present'), 'what is left of none');
      });
      expectEqual(await remove(store, key, { revision: 5, unusedSince: NOON }), MADE, 'remove');
    },
  },
  {
    name: 'remains: only due and findState return what is left of a session',
    run: async (store, second) => {
      await begin(store, keyOf('other'));
      await addGuarded(store);
      const remains = remainsOf(guardedState, '5', NOON + 20, 6);
      await remove(store, key, {}, remains);
      await expectGone(second);
      const left = { ...key, removal: '5' };
      expectEqual(await due(second, NOON + 19), [], 'due before');
      expectEqual(await due(second, NOON + 20), [{ ...left, dueAt: NOON + 20 }], 'due');
      expectEqual(await answerOf(second.findState(left)), remains.state, 'its state');
    },
  },
  {
    name: 'remains: a put, a move and a removal take them, by their revision',
    run: async (store) => {
      await begin(store, keyOf('other'));
      await addGuarded(store);
      const { state } = remainsOf(guardedState, '5', NOON + 20, 6);
      await remove(store, key, {}, { removal: '5', state });
      const left = { ...key, removal: '5' };
      const report = { removal: '5', dueAt: NOON + 50, removedAt: NOON };
      const next = { ...state, revision: 7, report };
      await put(store, left, next);
      const stale = await change(store, putOf(left, next, state));
      expectEqual(stale, { ...refused('revision'), state: next }, 'a put again');
      expectEqual(await due(store, FAR), [{ ...left, dueAt: NOON + 50 }], 'due after a put');
      await expectGone(store);
      expectEqual((await move(store, left, NOON + 50, NOON + 70)).outcome, 'made', 'move');
      expectEqual(await due(store, FAR), [{ ...left, dueAt: NOON + 70 }], 'due after a move');
      expectEqual(await remove(store, left, { revision: 6 }), refused('revision'), 'stale');
      expectEqual(await remove(store, left, { revision: 7 }), MADE, 'the removal');
      expectEqual(await due(store, FAR), [], 'due after the removal');
      expectEqual(await answerOf(store.findState(left)), undefined, 'the state');
      const gone = await tryPut(store, left, next);
      expectEqual(gone, refused('present'), 'a put after the removal');
    },
  },
  {
    name: 'remains: those of several sessions with one id stand apart, and from a new session',
    run: async (store) => {
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
      const second = await answerOf(store.findState({ ...key, removal: '2' }));
      expectEqual(second?.labels, { user: '2' }, 'the labels');
      await remove(store, { ...key, removal: '1' });
      expectEqual(await due(store, FAR), all.slice(1), 'due after a removal');
      await remove(store, key);
      expectEqual(await due(store, FAR), all.slice(1, 2), 'due without the session');
    },
  },
  {
    name: 'report: the store says whether the deployment reports ends',
    run: async (store, second) => {
      const answer = await answerOf(store.reportsEnds());
      expectEqual(typeof answer, 'boolean', 'reportsEnds');
      expectEqual(await answerOf(second.reportsEnds()), answer, 'in another process');
    },
  },
];

/** For stores with limits of live sessions. */
export const removalsAndLimits: readonly StoreCase<SessionStore>[] = [
  {
    name: 'remains: they count towards no limit, and no list by status has them',
    run: async (store) => {
      const state = live('ACTIVE');
      await begin(store, key, { state });
      await remove(store, key, {}, remainsOf(state, '1', NOON, 2));
      await begin(store, keyOf('two'), { guards: { live: { sessions: 1, now: NOON } } });
      const status = { anyOf: ['ACTIVE' as const], now: NOON };
      const page = await answerOf(store.page(TENANT, { offset: 0, limit: 9, status }));
      expectEqual(page.total, 1, 'the ACTIVE sessions');
    },
  },
];

/** For stores with events. */
export const removalEvents: readonly StoreCase<SessionStore>[] = [
  {
    name: 'events: a removal has the next sequence, and what is left has no events',
    run: async (store) => {
      await begin(store, key, { head: headOf('one'), state: ended('failed') });
      const remains = remainsOf(ended('failed'), '1', NOON, 2);
      await remove(store, key, { revision: 7 });
      await remove(store, key, { revision: 1 }, remains);
      const left = { ...key, removal: '1' };
      const { report } = remains.state;
      await put(store, left, { ...remains.state, revision: 3, report });
      await remove(store, left);
      const logged = await eventsAfter(store, '0');
      expectEqual(
        logged.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.deleted', 2],
        ],
        'the events',
      );
    },
  },
];
