import type { SessionStore } from '../../store/session-store.js';
import { expectEqual } from '../answers.js';
import {
  addGuarded,
  append,
  begin,
  expectDue,
  expectSaid,
  expectUnchanged,
  expectWaiting,
  find,
  idsOf,
  key,
  placed,
  put,
  redact,
  refused,
  remove,
  stateOf,
  tryBegin,
} from '../commits.js';
import { listed } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say } from '../samples.js';
import type { Cases } from '../store-case.js';

const versionOf = async (store: SessionStore, id = 'one'): Promise<string> =>
  (await find(store, keyOf(id)))?.historyVersion ?? '';

const two = keyOf('two');

export const begins: Cases = {
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
      expectEqual((await placed(each, key)).at(-1)?.position, end, 'the last position');
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
    await begin(store, keyOf('one', 'globex'));
  },
  'begin: source holds after appends and puts, which keep the version of a history': async (
    store,
  ) => {
    await addGuarded(store);
    const version = await versionOf(store);
    await append(store, key, ['four']);
    await put(store, key, live('PAUSED'));
    await begin(store, two, { guards: { source: { id: 'one', version } } });
    await append(store, two, ['mine']);
    await expectSaid(store, ['one', 'three', 'four'], 'the source');
  },
  'begin: source fails after a rewind, a redaction or a removal, and in another tenant': async (
    store,
  ) => {
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
  'begin: adds a session to both queues at the times of its state': async (
    store,
  ) => {
    const state = live('IDLE', { deadline: NOON + 9, work: { wakeAt: NOON + 3 } });
    await begin(store, key, { state });
    await expectDue(store, key, NOON + 9);
    await expectWaiting(store, NOON + 3);
  },
  'begin: a session inherits no labels, entries or operations from a removed one with its id':
    async (store) => {
      await addGuarded(store);
      await remove(store, key);
      const [labels, state] = [{ topic: 'x' }, ended('failed')];
      await begin(store, key, { head: headOf('one', NOON + 5), state: { ...state, labels } });
      const found = await find(store);
      expectEqual([found?.sequence, found?.historyCount], [1, 0], 'the counts');
      expectEqual(found?.state, { ...state, labels }, 'the state');
      expectEqual((await listed(store, { labels })).total, 1, 'with the new label');
      expectEqual((await listed(store, { labels: { user: 'ann' } })).ids, [], 'with the old label');
      const operation = operationOf('op', 'another-content-');
      await append(store, key, ['an operation of the removed session'], { operation });
      await remove(store, key);
      await begin(store, key);
      expectEqual((await listed(store, { labels })).total, 0, 'a session without labels');
    },
};

/** For stores with limits of live sessions. */
export const limitedBegins: Cases = {
  'begin: live counts the sessions of the tenant that are open at its time': async (store) => {
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
};
