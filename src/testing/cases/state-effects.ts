import { spentState } from '../../session/budget.js';
import type { StateRecord } from '../../session/session-record.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectEqual } from '../answers.js';
import {
  addGuarded,
  append,
  appendOf,
  begin,
  beginAt,
  change,
  due,
  expectDue,
  expectSaid,
  expectWaiting,
  FAR,
  find,
  guardedState,
  key,
  MADE,
  made,
  move,
  put,
  putOf,
  refused,
  repeated,
  spendOf,
  stateOf,
  waiting,
} from '../commits.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { listed } from '../page-steps.js';
import { ended, endingAfter, keyOf, live, NOON, operationOf, TENANT } from '../samples.js';
import type { Cases } from '../store-case.js';

const terms = endingAfter(20);

const sendAt = (store: SessionStore, at: number, revision: number) =>
  made(store, sendOf(messageOf(`m${revision}`), {}, { at, revision }));

export const stateEffects: Cases = {
  'put: replaces the complete state and nothing else': async (store, second) => {
    await addGuarded(store);
    const before = await find(store);
    for (const [at, next] of [
      live('PAUSED', { operations: ['pause:y', 'start:x:1'], activeMs: 7 }),
      live('ACTIVE', { startedAt: NOON, limitMs: 9, metadata: { a: { b: [1] } } }),
      live('ACTIVE', { labels: { a: '1', b: '2' }, terms }),
      ended('failed', { report: { removal: '8', dueAt: NOON + 4 } }),
      ended('failed'),
      ended('failed'),
    ].entries()) {
      const state = await put(store, key, next);
      const { sequence, ...found } = (await find(second)) ?? {};
      expectEqual({ ...before, ...found }, { ...before, state }, `record ${at}`);
    }
  },
  'put: keeps an activity that is later than its own, and the end that follows': async (
    store,
  ) => {
    await begin(store, key, { state: live('ACTIVE', { terms }) });
    await append(store, key, ['x'], {}, { activity: NOON + 15 });
    const next = await put(store, key, live('ACTIVE', { terms, lastActivityAt: NOON + 5 }));
    expectEqual(await stateOf(store), { ...next, lastActivityAt: NOON + 15 }, 'the state');
    await expectDue(store, key, NOON + 35);
    await put(store, key, { ...next, lastActivityAt: NOON + 18 });
    expectEqual((await stateOf(store))?.lastActivityAt, NOON + 18, 'a later activity');
  },
  'put: moves a session only between the lists of its labels': async (
    store,
    second,
  ) => {
    const ann = { user: 'ann' };
    for (const [at, id] of ['a', 'one', 'z'].entries())
      await beginAt(store, id, at, { state: live('ACTIVE', { labels: ann }) });
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
      await put(store, key, state);
      const lists = [ann, { user: 'bob' }, both, undefined].map(async (labels) => {
        const { ids, total } = await listed(second, { labels });
        expectEqual(total, ids.length, 'the total');
        return ids;
      });
      const expected = [ofAnn, ofBob, ofBob, all];
      expectEqual(await Promise.all(lists), expected, `the lists after put ${at}`);
    }
  },
  'put: moves a session in both queues to the times of its state': async (store, second) => {
    await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 10 }) });
    const later = { deadline: NOON + 20, work: { wakeAt: NOON + 5 } };
    await put(store, key, live('ACTIVE', later));
    await expectDue(second, key, NOON + 20);
    await expectWaiting(second, NOON + 5);
    await put(store, key, live('PAUSED'));
    expectEqual(await due(second, FAR), [], 'due without an end');
    expectEqual(await waiting(second, FAR), 0, 'waiting without a wake');
    const report = { removal: '3', dueAt: NOON + 7 };
    await put(store, key, ended('failed', { deadline: NOON + 50, report }));
    await expectDue(second, key, NOON + 7, 'with a report');
    await put(store, key, ended('failed', { deadline: NOON + 50 }));
    await expectDue(second, key, NOON + 50, 'with a retention');
  },
  'put: overrides the times in the queues that a move and a take have set': async (store) => {
    const work = { wakeAt: NOON };
    const state = live('ACTIVE', { deadline: NOON + 10, work });
    await begin(store, key, { state });
    await move(store, key, NOON + 10, NOON + 30);
    await answerOf(store.take({ now: NOON, until: NOON + 50, limit: 1, tenant: TENANT }));
    await put(store, key, state);
    await expectDue(store, key, NOON + 10);
    await expectWaiting(store, NOON);
  },
  'put: adds entries in the same step': async (store) => {
    const { first: truncate } = await addGuarded(store);
    const next = live('PAUSED', { revision: 6 });
    const { effects, ...rest } = putOf(key, next, guardedState);
    const { entries, events } = appendOf(key, ['last']).effects;
    await made(store, { ...rest, effects: { ...effects, truncate, entries, events } });
    await expectSaid(store, ['one', 'last']);
    expectEqual(await stateOf(store), next, 'the state');
  },
  'activity: never moves back, and never changes the revision': async (store) => {
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
  'activity: postpones expiry by inactivity, also in the queue': async (store) => {
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
  'send: queues a session for workers at its time, under a new revision': async (store, second) => {
    await begin(store, key, { state: live('ACTIVE', { work: { wakeAt: NOON + 9 } }) });
    await sendAt(store, NOON + 5, 7);
    const work = { wakeAt: NOON + 9, askedAt: NOON + 5, inbox: 1 };
    expectEqual(await stateOf(second), live('ACTIVE', { revision: 7, work }), 'the state');
    await expectWaiting(second, NOON + 5);
    await put(store, key, live('ACTIVE', { work: { ...work, askedAt: FAR } }));
    await expectWaiting(second, NOON + 9);
  },
  'send: keeps an earlier time, and queues a session again that was handed out': async (
    store,
  ) => {
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
  'send: a leased session waits until its lease ends, a PAUSED or TERMINATED one never':
    async (store) => {
      const lease = { holder: 'w', fencingToken: 1, takenAt: NOON, until: NOON + 50 };
      await begin(store, key, { state: live('ACTIVE', { work: { lease } }) });
      await sendAt(store, NOON, 2);
      await expectWaiting(store, NOON + 50);
      const work = { askedAt: NOON, inbox: 1 };
      for (const over of [live('PAUSED'), ended('failed')]) {
        const { revision } = await put(store, key, { ...over, work });
        await sendAt(store, NOON, revision + 1);
        expectEqual(await waiting(store, FAR), 0, `waiting while ${over.status}`);
      }
    },
};

const budget = { used: { tokens: 1 }, limits: { tokens: 9 }, last: '' };

/** What is no budget. */
const text = '{"status":"IDLE","budget":{"used":{"tokens":7},"limits":{},"last":""},';
const around = { budget, operations: [text], labels: { a: text }, metadata: { budget, text } };

export const spends: Cases = {
  'spend: adds up with and without entries, and ends a session that reaches its budget': async (
    store,
    second,
  ) => {
    for (const status of ['IDLE', 'ACTIVE', 'PAUSED'] as const) {
      const of = keyOf(status);
      let state: StateRecord = live(status, around);
      await begin(store, of, { state });
      for (const [at, tokens] of [2, 5, 1, 4].entries()) {
        const usage = { '10': 1, 'a.b-c': at, constructor: 1, tokens };
        const spend = { usage, free: Object.keys(usage), at: NOON + at, revision: at + 2 };
        if (at % 2 === 0) await change(store, spendOf(of, spend));
        else await append(store, of, ['x'], {}, { spend, activity: undefined });
        state = { ...spentState(state, spend, spend.at), revision: spend.revision };
        expectEqual(await stateOf(second, of), state, `after spend ${at}`);
      }
      expectEqual(state.budget?.reachedAt, NOON + 2, 'the end');
    }
    const times = (await due(second, NOON)).map(({ dueAt }) => dueAt);
    expectEqual(times, [0, 0, 0], 'due times');
  },
  'spend: an operation spends once, with and without entries': async (store, second) => {
    await begin(store, key, { state: live('ACTIVE', { budget }) });
    const once = (id: string, digest?: string) => {
      const operation = operationOf(id, digest);
      const last = `${id}:${operation.digest}`;
      const spend = { usage: { tokens: 1 }, free: [], last, at: NOON, revision: 2 };
      return spendOf(key, spend, { operation });
    };
    const operation = operationOf('entry');
    const spend = { usage: { tokens: 1 }, free: [], at: NOON, revision: 3 };
    const position = await append(store, key, ['x'], { operation }, { spend });
    for (const id of ['a', 'b', 'c'])
      expectEqual(await change(store, once(id)), MADE, `the first ${id}`);
    for (const id of ['a', 'b', 'c']) {
      const answers = [
        await change(second, once(id)),
        await change(second, once(id, 'another-content-')),
      ];
      expectEqual(answers, [repeated(), refused('operation')], id);
    }
    const again = await change(second, appendOf(key, ['x'], { operation }, { spend }));
    expectEqual(again, repeated(position), 'with entries');
    expectEqual((await stateOf(store))?.budget?.used, { tokens: 5 }, 'the sum');
  },
};
