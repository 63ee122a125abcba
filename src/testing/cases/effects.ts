import { spentState } from '../../session/budget.js';
import type { StateRecord } from '../../session/session-record.js';
import type { Guards } from '../../store/commit.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf, expectEqual, expectThat } from '../answers.js';
import {
  add,
  addGuarded,
  append,
  appendOf,
  begin,
  beginAt,
  change,
  due,
  expectDue,
  expectSaid,
  expectUnchanged,
  expectWaiting,
  FAR,
  find,
  key,
  MADE,
  made,
  move,
  positionsOf,
  put,
  redact,
  refused,
  remove,
  repeated,
  said,
  spendOf,
  stateOf,
  theirs,
  waiting,
} from '../commits.js';
import { messageOf, sendOf } from '../inbox-steps.js';
import { listed } from '../page-steps.js';
import {
  ended,
  endingAfter,
  keyOf,
  leaseOf,
  live,
  NOON,
  OTHER,
  operationOf,
  say,
  TENANT,
  upTo,
} from '../samples.js';
import type { Cases } from '../store-case.js';

const terms = endingAfter(20);

const sendAt = (store: SessionStore, at: number, revision: number) =>
  made(store, sendOf(messageOf(`m${revision}`), {}, { at, revision }));

const budget = { used: { tokens: 1 }, limits: { tokens: 9 }, last: '' };

/** Text that looks like a budget, for stores that search their JSON. */
const text = '{"status":"IDLE","budget":{"used":{"tokens":7},"limits":{},"last":""},';
const around = { budget, operations: [text], labels: { a: text }, metadata: { budget, text } };

const rewind = (store: SessionStore, truncate: number, contents: readonly string[] = []) =>
  append(store, key, contents, {}, { truncate });

/** Many or large entries are still one change. */
const batches = [['a'], ['b', 'b', ''], upTo(1000).map(String), ['x'.repeat(100_000)], ['c']];

export const effects: Cases = {
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
  'put: keeps a later activity, and the end that follows': async (store) => {
    await begin(store, key, { state: live('ACTIVE', { terms }) });
    await append(store, key, ['x'], {}, { activity: NOON + 15 });
    const next = await put(store, key, live('ACTIVE', { terms, lastActivityAt: NOON + 5 }));
    expectEqual(await stateOf(store), { ...next, lastActivityAt: NOON + 15 }, 'the state');
    await expectDue(store, key, NOON + 35);
    await put(store, key, { ...next, lastActivityAt: NOON + 18 });
    expectEqual((await stateOf(store))?.lastActivityAt, NOON + 18, 'a later activity');
  },
  'put: moves a session only between the lists of its labels': async (store, second) => {
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
  'send: keeps an earlier time, and queues a session again that was handed out': async (store) => {
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
  'send: a leased session waits until its lease ends, a PAUSED or TERMINATED one never': async (
    store,
  ) => {
    const lease = leaseOf(1, NOON + 50);
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
      const answers = [await change(second, once(id)), await change(second, once(id, OTHER))];
      expectEqual(answers, [repeated(), refused('operation')], id);
    }
    const again = await change(second, appendOf(key, ['x'], { operation }, { spend }));
    expectEqual(again, repeated(position), 'with entries');
    expectEqual((await stateOf(store))?.budget?.used, { tokens: 5 }, 'the sum');
  },
  'entries: are stored in call order, at rising positions': async (store, second) => {
    await begin(store, key);
    let end = 0;
    for (const contents of batches) {
      const position = await append(store, key, contents);
      expectThat(position > end, 'each position is higher than all before it');
      end = position;
    }
    await expectSaid(second, batches.flat());
    const positions = await positionsOf(second);
    expectThat(
      positions.every((position, at) => position > (positions[at - 1] ?? 0)),
      'the positions rise',
    );
    const found = await find(second);
    expectEqual([found?.historyPosition, positions.at(-1)], [end, end], 'the end');
    expectEqual([found?.historyCount, found?.sequence], [1006, 6], 'the counts');
  },
  'truncate: removes later entries from every read': async (store, second) => {
    await begin(store, key);
    const first = await append(store, key, ['a', 'b']);
    const old = await append(store, key, ['c']);
    const { historyVersion: version = '' } = (await find(store)) ?? {};
    const isPlain = /^[\w.-]{1,64}$/.test(version);
    expectThat(isPlain, 'a version has 1 to 64 of the characters A-Z a-z 0-9 _ . -');
    const end = await rewind(store, first, ['d', 'e']);
    expectThat(end > old, 'no position is used twice');
    await expectSaid(second, ['a', 'b', 'd', 'e']);
    const found = await find(second);
    expectEqual([found?.historyCount, found?.historyPosition], [4, end], 'the end');
    expectThat(found?.historyVersion !== version, 'the history has another version');
    await append(store, key, ['f']);
    expectEqual((await find(second))?.historyVersion, found?.historyVersion, 'the version');
  },
  'truncate: empties a history, which continues at a new position': async (store) => {
    const { end } = await addGuarded(store);
    const empty = await rewind(store, 0);
    expectThat(empty > end, 'the end is at a new position');
    const found = await find(store);
    expectEqual([found?.historyCount, found?.historyPosition], [0, empty], 'the end');
    const guarded = await append(store, key, ['x'], { end: empty });
    await rewind(store, empty, ['y']);
    await expectSaid(store, ['y']);
    const gone = await change(store, appendOf(key, [], {}, { truncate: guarded }));
    const position = (await find(store))?.historyPosition;
    expectEqual(gone, refused('superseded', { position }), 'the end of x');
  },
  'redact: overwrites the content, id and data of entries, and keeps their positions': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const secret = { ...say('é'.repeat(50_000), 'assistant'), id: 'e', data: { key: 'secret' } };
    await add(store, key, [say('a'), secret, say('c')]);
    const positions = await positionsOf(store);
    const before = await find(store);
    await redact(store, key, positions.slice(1, 2));
    const found = await find(second);
    const history = [say('a'), say('', 'assistant'), say('c')];
    const { historyVersion: version, ...others } = found ?? {};
    expectEqual({ ...before, ...others }, { ...before, history, sequence: 3 }, 'the record');
    expectThat(version !== before?.historyVersion, 'the history has another version');
    expectEqual(await positionsOf(second), positions, 'the positions');
    await put(store, key, ended('failed'));
    await redact(store, key, positions);
    await expectSaid(second, ['', '', ''], 'the history of an ended session');
  },
  'redact: accepts positions of superseded entries, and rewinds still work': async (store) => {
    const { first, superseded, end } = await addGuarded(store);
    await redact(store, key, [superseded, end]);
    await expectSaid(store, ['one', '']);
    await rewind(store, first, ['new']);
    await expectSaid(store, ['one', 'new'], 'after a rewind');
  },
  'redact: overwrites nothing if one position is after the end': async (store) => {
    const { first, end } = await addGuarded(store);
    await expectUnchanged(store, 'after the refusal', async () => {
      for (const beyond of [end + 1, end + 1_000_000])
        expectEqual(await redact(store, key, [first, beyond]), refused('position'), 'redact');
    });
    await remove(store, key);
    const late = await redact(store, key, [first, end + 1]);
    expectEqual(late, refused('present'), 'after the removal');
  },
  'operation: a repeated change is recognised before any other guard, and changes nothing': async (
    store,
    second,
  ) => {
    const { first: truncate, end } = await addGuarded(store);
    const once = (id: string, contents: readonly string[], guards?: Guards) => {
      const use = { send: { ...messageOf(id), at: NOON, revision: 9 }, activity: NOON + 9 };
      return appendOf(key, contents, { operation: operationOf(id), ...guards }, use);
    };
    const empty = appendOf(key, [], { operation: operationOf('empty') }, { truncate });
    const known = [
      ['op', end],
      ['again', await made(store, once('again', ['x', 'y'], { open: NOON }))],
      ['empty', await made(store, empty)],
    ] as const;
    for (const at of upTo(100)) await append(store, key, [`${at}`]);
    await redact(store, key, await positionsOf(store));
    await put(store, key, ended('failed'));
    await expectUnchanged(second, 'after the repetition', async () => {
      for (const [id, position] of known)
        for (const guards of [{ revision: 4 }, { open: NOON }, { end: 0 }, { entries: 0 }, {}]) {
          const again = await change(second, once(id, ['other'], guards));
          expectEqual(again, repeated(position), JSON.stringify(guards));
        }
    });
  },
  'operation: a refused change leaves its id free': async (store) => {
    await addGuarded(store);
    const operation = operationOf('free');
    for (const guards of [{ end: 0 }, { open: NOON + 1e6 }, { revision: 1 }, { entries: 0 }]) {
      const first = await change(store, appendOf(key, ['x'], { operation, ...guards }));
      expectEqual(first.outcome, 'refused', 'the first time');
    }
    await append(store, key, ['x'], { operation: operationOf('free', OTHER) });
  },
  'operation: ids that look alike are different, and so are ids of different sessions': async (
    store,
  ) => {
    const alike = ['a', 'A', 'a ', 'é', 'e\u0301', '1', '01', 'a:b', 'a:bc', '%61'];
    const ids = [...alike, '\u{1F600}', '__proto__'];
    const keys = [key, keyOf('two'), theirs];
    for (const each of keys) await begin(store, each, { entries: [say('a')] });
    for (const each of keys)
      for (const id of ids) await append(store, each, [id], { operation: operationOf(id) });
    for (const each of keys) {
      expectEqual(await said(store, each), ['a', ...ids], 'the history');
      for (const id of ids) {
        const again = appendOf(each, [id], { operation: operationOf(id) });
        expectEqual((await change(store, again)).outcome, 'repeated', JSON.stringify(id));
      }
    }
  },
};
