import type { SessionLabels } from '../../session/session.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  change,
  due,
  idsOf,
  made,
  move,
  put,
  putOf,
  said,
  tryPut,
} from '../commits.js';
import { eventsAfter } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { addGuarded, guardedState, key } from '../guarded.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import type { StoreCase } from '../store-case.js';

const stateOf = (store: SessionStore) => answerOf(store.findState(key));

const waitingAt = (store: SessionStore, now: number): Promise<number> =>
  answerOf(store.countWaiting({ tenant: TENANT, now, limit: 10 }));

const labelled = async (store: SessionStore, labels: SessionLabels) => {
  const page = await answerOf(store.page(TENANT, { offset: 0, limit: 10, labels }));
  return page.records.map(({ head }) => head.id);
};

const terms = { ...live('ACTIVE').terms, inactivityTimeoutMs: 20 };

export const stateEffects: readonly StoreCase<SessionStore>[] = [
  {
    name: 'put: replaces the whole state, and nothing else',
    run: async (store, second) => {
      await addGuarded(store);
      const before = await answerOf(store.find(key));
      const states = [
        live('PAUSED', { revision: 6, operations: ['pause:y', 'start:x:1'], activeMs: 7 }),
        live('ACTIVE', { revision: 7, startedAt: NOON, limitMs: 9, metadata: { a: { b: [1] } } }),
        live('ACTIVE', { revision: 8, labels: { a: '1', b: '2' }, terms }),
        ended('failed', { revision: 9, report: { removal: '8', dueAt: NOON + 4 } }),
        ended('failed', { revision: 10 }),
      ];
      for (const [at, state] of states.entries()) {
        await put(store, key, state);
        const { sequence, ...found } = (await answerOf(second.find(key))) ?? {};
        expectEqual({ ...before, ...found }, { ...before, state }, `record ${at}`);
      }
    },
  },
  {
    name: 'put: keeps an activity that is later than its own, with the end that follows from it',
    run: async (store) => {
      await begin(store, key, { state: live('ACTIVE', { terms }) });
      await append(store, key, ['x'], {}, { activity: NOON + 15 });
      const next = live('ACTIVE', { revision: 2, terms, lastActivityAt: NOON + 5 });
      await put(store, key, next);
      expectEqual(await stateOf(store), { ...next, lastActivityAt: NOON + 15 }, 'the state');
      expectEqual(await due(store, NOON + 34), [], 'due before');
      await put(store, key, { ...next, revision: 3, lastActivityAt: NOON + 18 });
      expectEqual((await stateOf(store))?.lastActivityAt, NOON + 18, 'a later activity');
    },
  },
  {
    name: 'put: moves the session between the lists of its labels, and to no other place',
    run: async (store, second) => {
      for (const [at, id] of ['a', 'one', 'z'].entries())
        await begin(store, keyOf(id), {
          head: headOf(id, NOON + at),
          state: live('ACTIVE', { labels: { user: 'ann' } }),
        });
      await put(store, key, live('ACTIVE', { revision: 2, labels: { topic: 'x', user: 'bob' } }));
      expectEqual(await labelled(second, { user: 'ann' }), ['z', 'a'], 'the old label');
      expectEqual(await labelled(second, { user: 'bob' }), ['one'], 'the new label');
      expectEqual(await labelled(second, { topic: 'x', user: 'bob' }), ['one'], 'both labels');
      await put(store, key, live('ACTIVE', { revision: 3, labels: { user: 'ann' } }));
      expectEqual(await labelled(second, { user: 'ann' }), ['z', 'one', 'a'], 'the label again');
      expectEqual(await labelled(second, { topic: 'x' }), [], 'a label that is gone');
      await put(store, key, live('ACTIVE', { revision: 4 }));
      expectEqual(await labelled(second, { user: 'ann' }), ['z', 'a'], 'without labels');
      expectEqual(await idsOf(second, TENANT), ['z', 'one', 'a'], 'all sessions');
    },
  },
  {
    name: 'put: moves the session in both queues to the times of its state',
    run: async (store, second) => {
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 10 }) });
      const later = { deadline: NOON + 20, work: { wakeAt: NOON + 5 } };
      await put(store, key, live('ACTIVE', { revision: 2, ...later }));
      expectEqual(await due(second, NOON + 19), [], 'due before its later end');
      expectEqual(await due(second, NOON + 20), [{ ...key, dueAt: NOON + 20 }], 'due then');
      const waiting = [await waitingAt(second, NOON + 4), await waitingAt(second, NOON + 5)];
      expectEqual(waiting, [0, 1], 'waiting');
      await put(store, key, live('PAUSED', { revision: 3 }));
      expectEqual(await due(second, NOON + 1e9), [], 'due without an end');
      expectEqual(await waitingAt(second, NOON + 1e9), 0, 'waiting without a wake');
      const report = { removal: '3', dueAt: NOON + 7 };
      await put(store, key, ended('failed', { revision: 4, deadline: NOON + 50, report }));
      expectEqual(await due(second, NOON + 60), [{ ...key, dueAt: NOON + 7 }], 'with a report');
      await put(store, key, ended('failed', { revision: 5, deadline: NOON + 50 }));
      expectEqual(await due(second, NOON + 60), [{ ...key, dueAt: NOON + 50 }], 'its retention');
    },
  },
  {
    name: 'put: takes the session from where a move and a take have put it',
    run: async (store) => {
      const work = { wakeAt: NOON };
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 10, work }) });
      await move(store, key, NOON + 10, NOON + 30);
      await answerOf(store.take({ now: NOON, until: NOON + 50, limit: 1, tenant: TENANT }));
      await put(store, key, live('ACTIVE', { revision: 2, deadline: NOON + 10, work }));
      expectEqual(await due(store, NOON + 10), [{ ...key, dueAt: NOON + 10 }], 'due');
      expectEqual(await waitingAt(store, NOON), 1, 'waiting');
    },
  },
  {
    name: 'put: with a repeated state under the next revision is a change',
    run: async (store) => {
      await begin(store, key);
      for (const revision of [2, 3]) await put(store, key, live('ACTIVE', { revision }));
      const refused = await tryPut(store, key, live('ACTIVE', { revision: 3 }));
      expectEqual(refused.outcome, 'refused', 'the same revision again');
    },
  },
  {
    name: 'put: can add entries in the same step',
    run: async (store) => {
      const { first } = await addGuarded(store);
      const next = live('PAUSED', { revision: 6 });
      const { effects, ...rest } = putOf(key, next, guardedState);
      const { entries, events } = appendOf(key, ['last']).effects;
      await made(store, { ...rest, effects: { ...effects, truncate: first, entries, events } });
      expectEqual(await said(store, key), ['one', 'last'], 'the history');
      expectEqual(await stateOf(store), next, 'the state');
    },
  },
  {
    name: 'activity: moves forward, never back, and keeps the revision',
    run: async (store) => {
      await begin(store, key);
      for (const [activity, expected] of [
        [NOON + 5, NOON + 5],
        [NOON + 3, NOON + 5],
        [undefined, NOON + 5],
        [NOON + 8, NOON + 8],
      ]) {
        await append(store, key, ['x'], {}, { activity });
        const state = live('ACTIVE', { lastActivityAt: expected ?? 0 });
        expectEqual(await stateOf(store), state, `the state after ${activity}`);
      }
    },
  },
  {
    name: 'activity: postpones an end by inactivity, and moves the session in the queue',
    run: async (store) => {
      await begin(store, key, { state: live('ACTIVE', { terms, deadline: NOON + 50 }) });
      const ends = [
        [NOON + 15, NOON + 35],
        [NOON + 40, NOON + 50],
      ];
      for (const [activity = 0, end = 0] of ends) {
        await append(store, key, ['x'], {}, { activity });
        const early = await due(store, end - 1);
        const { dueAt = end } = early[0] ?? {};
        const state = await stateOf(store);
        // The store may list it too early; a sweep then moves it.
        if (early.length > 0) await move(store, key, dueAt, end, state?.revision);
        expectEqual(await due(store, end - 1), [], `due before ${end}`);
        expectEqual(await due(store, end), [{ ...key, dueAt: end }], `due at ${end}`);
      }
    },
  },
  {
    name: 'wake: makes a session wait from its time on, under another revision',
    run: async (store, second) => {
      await begin(store, key);
      await append(store, key, ['x'], {}, { wake: { at: NOON + 5, revision: 9 } });
      const expected = live('ACTIVE', { revision: 9, work: { wakeAt: NOON + 5 } });
      expectEqual(await stateOf(second), expected, 'the state');
      const waiting = [await waitingAt(second, NOON + 4), await waitingAt(second, NOON + 5)];
      expectEqual(waiting, [0, 1], 'waiting');
    },
  },
  {
    name: 'wake: keeps an earlier one, and takes a session back from where a take has put it',
    run: async (store) => {
      await begin(store, key, { state: live('ACTIVE', { work: { wakeAt: NOON + 5 } }) });
      const wake = (at: number, revision: number) =>
        append(store, key, ['x'], {}, { wake: { at, revision } });
      await wake(NOON + 9, 2);
      expectEqual((await stateOf(store))?.work.wakeAt, NOON + 5, 'the earlier time');
      await wake(NOON + 3, 3);
      expectEqual((await stateOf(store))?.work.wakeAt, NOON + 3, 'an earlier time');
      const range = { tenant: TENANT, now: NOON + 5, until: NOON + 1e6, limit: 1 };
      await answerOf(store.take(range));
      expectEqual(await waitingAt(store, NOON + 10), 0, 'waiting while it is handed out');
      await append(store, key, ['x']);
      expectEqual(await waitingAt(store, NOON + 10), 0, 'waiting after an append');
      await wake(NOON + 8, 4);
      expectEqual(await waitingAt(store, NOON + 3), 1, 'waiting after a wake');
    },
  },
  {
    name: 'wake: waits for the end of a lease, and for none where the session has ended',
    run: async (store) => {
      const lease = { holder: 'w', fencingToken: 1, takenAt: NOON, until: NOON + 50 };
      await begin(store, key, { state: live('ACTIVE', { work: { lease } }) });
      await append(store, key, ['x'], {}, { wake: { at: NOON, revision: 2 } });
      const waiting = [await waitingAt(store, NOON + 49), await waitingAt(store, NOON + 50)];
      expectEqual(waiting, [0, 1], 'waiting');
      await put(store, key, ended('failed', { revision: 3 }));
      await append(store, key, ['x'], {}, { wake: { at: NOON, revision: 4 } });
      expectEqual(await waitingAt(store, NOON + 1e6), 0, 'waiting after its end');
    },
  },
];

/** For stores with lists by status. */
export const statusEffects: readonly StoreCase<SessionStore>[] = [
  {
    name: 'put: moves the session between the lists of statuses',
    run: async (store, second) => {
      const listed = async (now: number) => {
        const lists = (['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] as const).map(async (status) => {
          const range = { offset: 0, limit: 10, status: { anyOf: [status], now } };
          return (await answerOf(second.page(TENANT, range))).total > 0 ? status : undefined;
        });
        return (await Promise.all(lists)).filter((status) => status !== undefined);
      };
      await begin(store, key, { state: live('IDLE') });
      const states = [
        live('ACTIVE', { deadline: NOON + 10 }),
        live('PAUSED'),
        live('ACTIVE', { terms }),
        ended('failed'),
      ];
      for (const [at, state] of states.entries()) {
        await put(store, key, { ...state, revision: at + 2 });
        expectEqual(await listed(NOON + 9), [state.status], `the lists with ${at}`);
        const isOver = at === 0 || at === 2;
        expectEqual(await listed(NOON + 20), [isOver ? 'TERMINATED' : state.status], 'later');
      }
    },
  },
];

/** For stores with events. */
export const effectEvents: readonly StoreCase<SessionStore>[] = [
  {
    name: 'events: a change takes a sequence for each of its events, and none without any',
    run: async (store) => {
      await begin(store, key);
      const wake = { at: NOON, revision: 2 };
      const both = (['appended', 'woken'] as const).map((type) => ({ type, at: NOON + 1 }));
      await append(store, key, ['a'], {}, { wake, events: both });
      const quiet = putOf(key, live('ACTIVE', { revision: 3 }));
      await made(store, { ...quiet, effects: { ...quiet.effects, events: [] } });
      await put(store, key, live('PAUSED', { revision: 4 }));
      await change(store, putOf(key, live('ACTIVE', { revision: 4 })));
      const logged = await eventsAfter(store, '0');
      expectEqual(
        logged.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.appended', 2],
          ['session.woken', 3],
          ['session.paused', 4],
        ],
        'the events',
      );
      expectEqual((await answerOf(store.find(key)))?.sequence, 4, 'the sequence');
      expectEqual(new Set(logged.map(({ id }) => id)).size, 4, 'the number of ids');
    },
  },
];
