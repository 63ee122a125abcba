import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import {
  append,
  appendOf,
  begin,
  due,
  expectDue,
  expectWaiting,
  FAR,
  made,
  move,
  put,
  putOf,
  said,
  waiting,
} from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { addGuarded, guardedState, key } from '../guarded.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { listed } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import type { PortCase } from '../store-case.js';

const stateOf = (store: SessionStore) => answerOf(store.findState(key));

const terms = { ...live('ACTIVE').terms, inactivityTimeoutMs: 20 };

const sendAt = (store: SessionStore, at: number, revision: number) =>
  made(store, sendOf(messageOf(`m${revision}`), {}, { at, revision }));

export const stateEffects: readonly PortCase[] = [
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
        ended('failed', { revision: 11 }),
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
      await expectDue(store, key, NOON + 35);
      await put(store, key, { ...next, revision: 3, lastActivityAt: NOON + 18 });
      expectEqual((await stateOf(store))?.lastActivityAt, NOON + 18, 'a later activity');
    },
  },
  {
    name: 'put: moves the session between the lists of its labels, and to no other place',
    run: async (store, second) => {
      const ann = { user: 'ann' };
      for (const [at, id] of ['a', 'one', 'z'].entries())
        await begin(store, keyOf(id), {
          head: headOf(id, NOON + at),
          state: live('ACTIVE', { labels: ann }),
        });
      const all = ['z', 'one', 'a'];
      const others = ['z', 'a'];
      const both = { topic: 'x', user: 'bob' };
      const steps = [
        [live('ACTIVE', { labels: both }), others, ['one']],
        [live('ACTIVE', { labels: ann }), all, []],
        [ended('failed', { labels: { ...ann, topic: 'x' } }), all, []],
        [live('ACTIVE'), others, []],
      ] as const;
      for (const [at, [state, ofAnn, ofBob]] of steps.entries()) {
        await put(store, key, { ...state, revision: at + 2 });
        const lists = [ann, { user: 'bob' }, both, undefined].map(async (labels) => {
          const { ids, total } = await listed(second, { labels });
          expectEqual(total, ids.length, 'the total');
          return ids;
        });
        const expected = [ofAnn, ofBob, ofBob, all];
        expectEqual(await Promise.all(lists), expected, `the lists after put ${at}`);
      }
    },
  },
  {
    name: 'put: moves the session in both queues to the times of its state',
    run: async (store, second) => {
      await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 10 }) });
      const later = { deadline: NOON + 20, work: { wakeAt: NOON + 5 } };
      await put(store, key, live('ACTIVE', { revision: 2, ...later }));
      await expectDue(second, key, NOON + 20);
      await expectWaiting(second, NOON + 5);
      await put(store, key, live('PAUSED', { revision: 3 }));
      expectEqual(await due(second, FAR), [], 'due without an end');
      expectEqual(await waiting(second, FAR), 0, 'waiting without a wake');
      const report = { removal: '3', dueAt: NOON + 7 };
      await put(store, key, ended('failed', { revision: 4, deadline: NOON + 50, report }));
      await expectDue(second, key, NOON + 7, 'with a report');
      await put(store, key, ended('failed', { revision: 5, deadline: NOON + 50 }));
      await expectDue(second, key, NOON + 50, 'with a retention');
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
      await expectDue(store, key, NOON + 10);
      await expectWaiting(store, NOON);
    },
  },
  {
    name: 'put: can add entries in the same step',
    run: async (store) => {
      const { first: truncate } = await addGuarded(store);
      const next = live('PAUSED', { revision: 6 });
      const { effects, ...rest } = putOf(key, next, guardedState);
      const { entries, events } = appendOf(key, ['last']).effects;
      await made(store, { ...rest, effects: { ...effects, truncate, entries, events } });
      expectEqual(await said(store, key), ['one', 'last'], 'the history');
      expectEqual(await stateOf(store), next, 'the state');
    },
  },
  {
    name: 'activity: moves forward, never back, and keeps the revision',
    run: async (store) => {
      await begin(store, key);
      for (const [activity, lastActivityAt = 0] of [
        [NOON + 5, NOON + 5],
        [NOON + 3, NOON + 5],
        [undefined, NOON + 5],
        [NOON + 8, NOON + 8],
      ]) {
        await append(store, key, ['x'], {}, { activity });
        expectEqual(await stateOf(store), live('ACTIVE', { lastActivityAt }), `at ${activity}`);
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
        const [early] = await due(store, end - 1);
        // The store may list it too early; a sweep then moves it.
        if (early !== undefined) await move(store, key, early.dueAt, end);
        await expectDue(store, key, end);
      }
    },
  },
  {
    name: 'send: makes a session wait from its time on, under another revision',
    run: async (store, second) => {
      await begin(store, key, { state: live('ACTIVE', { work: { wakeAt: NOON + 9 } }) });
      await sendAt(store, NOON + 5, 7);
      const work = { wakeAt: NOON + 9, askedAt: NOON + 5, inbox: 1 };
      expectEqual(await stateOf(second), live('ACTIVE', { revision: 7, work }), 'the state');
      await expectWaiting(second, NOON + 5);
      await put(store, key, live('ACTIVE', { revision: 8, work: { ...work, askedAt: FAR } }));
      await expectWaiting(second, NOON + 9);
    },
  },
  {
    name: 'send: keeps an earlier time, and takes a session back from where a take has put it',
    run: async (store) => {
      await begin(store, key);
      const times = [
        [NOON + 5, NOON + 5],
        [NOON + 9, NOON + 5],
        [NOON + 3, NOON + 3],
      ];
      for (const [at, [time = 0, askedAt]] of times.entries()) {
        await sendAt(store, time, at + 2);
        const { work } = (await stateOf(store)) ?? {};
        expectEqual(work, { askedAt, inbox: at + 1 }, `the work after message ${at + 1}`);
      }
      await answerOf(store.take({ tenant: TENANT, now: NOON + 5, until: FAR, limit: 1 }));
      expectEqual(await waiting(store, NOON + 10), 0, 'waiting while it is handed out');
      await append(store, key, ['x']);
      expectEqual(await waiting(store, NOON + 10), 0, 'waiting after an append');
      await sendAt(store, NOON + 8, 5);
      expectEqual(await waiting(store, NOON + 3), 1, 'waiting after another message');
    },
  },
  {
    name: 'send: waits for the end of a lease, and for none while the session is PAUSED or has ended',
    run: async (store) => {
      const lease = { holder: 'w', fencingToken: 1, takenAt: NOON, until: NOON + 50 };
      await begin(store, key, { state: live('ACTIVE', { work: { lease } }) });
      await sendAt(store, NOON, 2);
      await expectWaiting(store, NOON + 50);
      const work = { askedAt: NOON, inbox: 1 };
      for (const [at, over] of [live('PAUSED'), ended('failed')].entries()) {
        const revision = 2 * at + 3;
        await put(store, key, { ...over, revision, work });
        await sendAt(store, NOON, revision + 1);
        expectEqual(await waiting(store, FAR), 0, `waiting while ${over.status}`);
      }
    },
  },
];
