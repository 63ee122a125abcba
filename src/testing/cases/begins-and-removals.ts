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
  expectSaid,
  expectUnchanged,
  FAR,
  find,
  guardedState,
  idsOf,
  key,
  MADE,
  move,
  placed,
  put,
  putOf,
  redact,
  refused,
  remove,
  stateOf,
  theirs,
  tryBegin,
  tryPut,
  waiting,
} from '../commits.js';
import { expectOutcome } from '../history-steps.js';
import { listed } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, OTHER, operationOf, say } from '../samples.js';
import type { Cases } from '../store-case.js';

const versionOf = async (store: SessionStore, id = 'one'): Promise<string> =>
  (await find(store, keyOf(id)))?.historyVersion ?? '';

const two = keyOf('two');

/** The key of the remains of the guarded session. */
const left = { ...key, removal: '5' };

/** The remains of a session, with a report that is due. */
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

export const beginsAndRemovals: Cases = {
  'begin: both stores read a new session and its entries exactly as given': async (
    store,
    second,
  ) => {
    const origin = { id: 'other', position: 3 };
    const head = { ...headOf('one', NOON + 1, { context: '\u0000é' }), origin, digest: 'd' };
    const state = live('ACTIVE', { labels: { user: 'ann' }, metadata: { n: [1, null] } });
    const entries = [{ ...say('hi'), id: 'e1', data: { a: 'b' } }, say('')];
    await begin(store, key, { head, state, entries });
    for (const each of [store, second]) {
      const found = await find(each);
      const { historyVersion: _, historyPosition: end, ...record } = found ?? {};
      const expected = { head, state, history: entries, historyCount: 2, sequence: 1 };
      expectEqual(record, expected, 'the record');
      expectEqual((await placed(each)).at(-1)?.position, end, 'the last position');
      expectEqual(await stateOf(each), state, 'the state');
      expectEqual(await idsOf(each), ['one'], 'the list');
    }
  },
  'begin: keeps numbers exact': async (store) => {
    const numbers = [0.1, 1 / 3, 1e-7, 0.1 + 0.2, 1234567.891, 2 ** 53 - 1];
    for (const [at, timeLimit] of numbers.entries()) {
      const each = keyOf(`s${at}`);
      const head = headOf(each.id, NOON, { timeLimit });
      const state = live('IDLE', {
        revision: 2 ** 52 - at,
        limitMs: timeLimit * 1000,
        activeMs: 86_399_999,
        metadata: { timeLimit, negative: -timeLimit },
      });
      await begin(store, each, { head, state });
      const found = await find(store, each);
      expectEqual([found?.head, found?.state], [head, state], `the session with ${timeLimit}`);
    }
  },
  'begin: a taken id is refused by absent before any other guard': async (store) => {
    await addGuarded(store);
    await expectUnchanged(store, 'the session that has the id', async () => {
      const source = { id: 'none', version: 'x' };
      const entries = [say('never')];
      for (const guards of [{}, { source }]) {
        const state = live('IDLE', { deadline: NOON + 1, labels: { user: 'bob' } });
        const begun = await tryBegin(store, key, { state, entries, guards });
        expectEqual(begun, refused('absent'), 'begin');
      }
    });
    await begin(store, theirs);
  },
  'begin: source holds after appends and puts': async (store) => {
    await addGuarded(store);
    const version = await versionOf(store);
    await append(store, key, ['four']);
    await put(store, key, live('PAUSED'));
    await begin(store, two, { guards: { source: { id: 'one', version } } });
    await append(store, two, ['mine']);
    await expectSaid(store, ['one', 'three', 'four'], 'the source');
  },
  'begin: source fails after a rewind, redaction or removal, and across tenants': async (store) => {
    const { end } = await addGuarded(store);
    const version = await versionOf(store);
    const source = { id: 'one', version };
    const expectRefused = async (what: string, of = two) => {
      const guards = { source };
      expectEqual(await tryBegin(store, of, { guards }), refused('source'), what);
      expectEqual(await find(store, of), undefined, what);
    };
    await expectRefused('of another tenant', keyOf('two', 'globex'));
    await redact(store, key, [end]);
    await expectRefused('after a redaction');
    await append(store, key, ['x'], {}, { truncate: end });
    const rewound = await versionOf(store);
    await remove(store, key);
    await expectRefused('after a removal');
    await begin(store, key);
    await expectRefused('where another session has the id');
    const guards = { source: { id: 'one', version: rewound } };
    expectEqual(await tryBegin(store, two, { guards }), refused('source'), 'an older version');
  },
  'begin: a session inherits nothing from a removed one with its id': async (store) => {
    await addGuarded(store);
    await remove(store, key);
    const [labels, state] = [{ topic: 'x' }, ended('failed')];
    await begin(store, key, { head: headOf('one', NOON + 5), state: { ...state, labels } });
    const found = await find(store);
    expectEqual([found?.sequence, found?.historyCount], [1, 0], 'the counts');
    expectEqual(found?.state, { ...state, labels }, 'the state');
    expectEqual((await listed(store, { labels })).total, 1, 'with the new label');
    expectEqual((await listed(store, { labels: { user: 'ann' } })).ids, [], 'with the old label');
    const operation = operationOf('op', OTHER);
    await append(store, key, ['an operation of the removed session'], { operation });
    await remove(store, key);
    await begin(store, key);
    expectEqual((await listed(store, { labels })).total, 0, 'a session without labels');
  },
  'remove: takes one session out of every read, list and queue': async (store, second) => {
    await addBoth(store);
    expectEqual(await remove(store, key), DONE, 'remove');
    for (const each of [store, second]) {
      await expectGone(each);
      expectEqual(await due(each, FAR), [], 'due');
      expectEqual(await remove(each, key), refused('present'), 'again');
    }
  },
  'remove: checks present, revision and unusedSince, and writes nothing if one fails': async (
    store,
  ) => {
    await addGuarded(store);
    const remains = remainsOf(guardedState, '5', NOON, 6);
    await expectUnchanged(store, 'after the refusals', async () => {
      const used = { unusedSince: NOON - 1 };
      for (const [what, guard, guards, of = key] of [
        ['no session', 'present', { revision: 4, ...used }, keyOf('two')],
        ['another revision', 'revision', { revision: 4, ...used }],
        ['the revision 0', 'revision', { revision: 0 }],
        ['a session that was used', 'unusedSince', { revision: 5, ...used }],
        ['another tenant', 'present', {}, theirs],
        ['what is left of none', 'present', {}, left],
      ] as const)
        expectEqual(await remove(store, of, guards, remains), refused(guard), what);
    });
    expectEqual(await remove(store, key, { revision: 5, unusedSince: NOON }), DONE, 'remove');
  },
  'remains: only due and findState return what is left of a removed session': async (
    store,
    second,
  ) => {
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
  'remains: are separate for each session that had the id': async (store) => {
    for (const at of [1, 2]) {
      await begin(store, key);
      await remove(store, key, {}, remainsOf(live('ACTIVE'), `${at}`, NOON + at, 9));
    }
    await begin(store, key, { state: live('ACTIVE', { deadline: NOON + 3 }) });
    const all = [
      { ...key, removal: '1', dueAt: NOON + 1 },
      { ...key, removal: '2', dueAt: NOON + 2 },
      { ...key, dueAt: NOON + 3 },
    ];
    expectEqual(await due(store, FAR), all, 'due');
  },
  'report: reportsEnds returns the same boolean in all processes': async (store, second) => {
    const answer = await answerOf(store.reportsEnds());
    expectEqual(typeof answer, 'boolean', 'reportsEnds');
    expectEqual(await answerOf(second.reportsEnds()), answer, 'in another process');
  },
};

export const underLimits: Cases = {
  'begin: live counts the open sessions of the tenant': async (store) => {
    await begin(store, keyOf('a'), { state: live('ACTIVE', { deadline: NOON + 10 }) });
    await begin(store, keyOf('b'), { state: live('PAUSED') });
    for (const id of ['c', 'd']) await begin(store, keyOf(id), { state: live('IDLE') });
    await begin(store, keyOf('e'), { state: ended('failed') });
    await begin(store, keyOf('a', 'globex'));
    const at = (sessions: number, now: number) => ({ live: { sessions, now } });
    for (const guards of [at(2, NOON + 9), at(1, NOON + 10), at(0, NOON)]) {
      expectEqual(await tryBegin(store, key, { guards }), refused('live'), 'begin');
      expectEqual(await find(store), undefined, 'the session');
    }
    await begin(store, key, { guards: at(2, NOON + 10) });
    await begin(store, two, { guards: at(4, NOON + 9) });
  },
  'begin: checks source before live': async (store) => {
    await addGuarded(store);
    const guards = { source: { id: 'one', version: 'x' }, live: { sessions: 0, now: NOON } };
    expectEqual(await tryBegin(store, two, { guards }), refused('source'), 'begin');
    expectEqual(await tryBegin(store, key, { guards }), refused('absent'), 'a taken id');
  },
  'remains: count towards no limit, and are in no list by status': async (store) => {
    const state = live('ACTIVE');
    await begin(store, key, { state });
    await remove(store, key, {}, remainsOf(state, '1', NOON, 2));
    await begin(store, keyOf('two'), { guards: { live: { sessions: 1, now: NOON } } });
    const status = { anyOf: ['ACTIVE' as const], now: NOON };
    expectEqual((await listed(store, { status })).ids, ['two'], 'the ACTIVE sessions');
  },
};
