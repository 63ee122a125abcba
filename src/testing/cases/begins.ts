import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import {
  append,
  begin,
  change,
  due,
  idsOf,
  made,
  placed,
  put,
  remove,
  said,
  tryBegin,
} from '../commits.js';
import { eventsAfter } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { addGuarded, expectUnchanged, key } from '../guarded.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT } from '../samples.js';
import type { StoreCase } from '../store-case.js';

const refused = (guard: string) => ({ outcome: 'refused', guard });

const versionOf = async (store: SessionStore, id = 'one'): Promise<string> =>
  (await answerOf(store.find(keyOf(id))))?.historyVersion ?? '';

const two = keyOf('two');

export const begins: readonly StoreCase<SessionStore>[] = [
  {
    name: 'begin: a session is found as it was given, with its entries, in both stores',
    run: async (store, second) => {
      const origin = { id: 'other', position: 3 };
      const head = { ...headOf('one', NOON + 1, { context: '\u0000é' }), origin, digest: 'd' };
      const state = live('ACTIVE', { labels: { user: 'ann' }, metadata: { n: [1, null] } });
      const entries = [{ ...say('hi'), id: 'e1', data: { a: 'b' } }, say('')];
      await begin(store, key, { head, state, entries });
      for (const each of [store, second]) {
        const found = await answerOf(each.find(key));
        const { historyVersion: _, historyPosition: end, ...record } = found ?? {};
        const expected = { head, state, history: entries, historyCount: 2, sequence: 1 };
        expectEqual(record, expected, 'the record');
        expectEqual((await placed(each, key)).at(-1)?.position, end, 'the last position');
        expectEqual(await answerOf(each.findState(key)), state, 'the state');
        expectEqual(await idsOf(each, TENANT), ['one'], 'the list');
      }
    },
  },
  {
    name: 'begin: numbers are exact',
    run: async (store) => {
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
        const found = await answerOf(store.find(each));
        expectEqual([found?.head, found?.state], [head, state], `the session with ${timeLimit}`);
      }
    },
  },
  {
    name: 'begin: is refused by absent before all else where a session has the id',
    run: async (store) => {
      await addGuarded(store);
      await expectUnchanged(store, 'the session that has the id', async () => {
        const source = { id: 'none', version: 'x' };
        const entries = [say('never')];
        for (const guards of [{}, { source }]) {
          const state = live('IDLE', { deadline: NOON + 1, labels: { user: 'bob' } });
          expectEqual(
            await tryBegin(store, key, { state, entries, guards }),
            refused('absent'),
            'begin',
          );
        }
      });
      await begin(store, keyOf('one', 'globex'));
    },
  },
  {
    name: 'begin: source holds while the history has the version, whatever is appended or put',
    run: async (store) => {
      await addGuarded(store);
      const version = await versionOf(store);
      await append(store, key, ['four']);
      await put(store, key, live('PAUSED', { revision: 6 }));
      await begin(store, two, { guards: { source: { id: 'one', version } } });
      await append(store, two, ['mine']);
      expectEqual(await said(store, key), ['one', 'three', 'four'], 'the source');
    },
  },
  {
    name: 'begin: source fails after a rewind, a redaction, a removal, and in another tenant',
    run: async (store) => {
      const { end } = await addGuarded(store);
      const version = await versionOf(store);
      const source = { id: 'one', version };
      const expectRefused = async (what: string, of = two) => {
        const guards = { source };
        expectEqual(await tryBegin(store, of, { guards }), refused('source'), what);
        expectEqual(await answerOf(store.find(of)), undefined, what);
      };
      await expectRefused('of another tenant', keyOf('two', 'globex'));
      await made(store, { key, guards: {}, effects: { redact: [end], at: NOON } });
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
  },
  {
    name: 'begin: each session has a version of its own, even under the same id',
    run: async (store) => {
      const versions = new Set<string>();
      for (const id of ['one', 'two', 'one']) {
        await remove(store, keyOf(id));
        await begin(store, keyOf(id));
        versions.add(await versionOf(store, id));
      }
      expectEqual(versions.size, 3, 'the number of versions');
    },
  },
  {
    name: 'begin: a session is due and waits for a worker from the times of its state on',
    run: async (store) => {
      const state = live('IDLE', { deadline: NOON + 9, work: { wakeAt: NOON + 3 } });
      await begin(store, key, { state });
      expectEqual(await due(store, NOON + 8), [], 'due before');
      expectEqual(await due(store, NOON + 9), [{ ...key, dueAt: NOON + 9 }], 'due');
      const waiting = (now: number) =>
        answerOf(store.countWaiting({ tenant: TENANT, now, limit: 9 }));
      expectEqual([await waiting(NOON + 2), await waiting(NOON + 3)], [0, 1], 'waiting');
    },
  },
  {
    name: 'begin: a session under the id of a removed one starts clean',
    run: async (store) => {
      await addGuarded(store);
      await remove(store, key);
      const head = headOf('one', NOON + 5);
      await begin(store, key, { head, state: ended('failed') });
      const found = await answerOf(store.find(key));
      expectEqual([found?.sequence, found?.historyCount], [1, 0], 'the counts');
      expectEqual(found?.state, ended('failed'), 'the state');
      const range = { offset: 0, limit: 9, labels: { user: 'ann' } };
      expectEqual((await answerOf(store.page(TENANT, range))).total, 0, 'with the old label');
      const event = { type: 'appended' as const, at: NOON };
      const operation = { id: 'op', digest: 'another-content-' };
      const effects = { entries: [say('x')], events: [event] };
      const changed = await change(store, { key, guards: { operation }, effects });
      expectEqual(changed.outcome, 'made', 'an append with an operation of the removed session');
    },
  },
];

/** For stores with limits of live sessions. */
export const limitedBegins: readonly StoreCase<SessionStore>[] = [
  {
    name: 'begin: live counts the sessions of the tenant that are open at its time',
    run: async (store) => {
      await begin(store, keyOf('a'), { state: live('ACTIVE', { deadline: NOON + 10 }) });
      await begin(store, keyOf('b'), { state: live('PAUSED') });
      for (const id of ['c', 'd']) await begin(store, keyOf(id), { state: live('IDLE') });
      await begin(store, keyOf('e'), { state: ended('failed') });
      await begin(store, keyOf('a', 'globex'));
      const at = (sessions: number, now: number) => ({ live: { sessions, now } });
      for (const guards of [at(2, NOON + 9), at(1, NOON + 10), at(0, NOON)]) {
        expectEqual(await tryBegin(store, key, { guards }), refused('live'), 'begin');
        expectEqual(await answerOf(store.find(key)), undefined, 'the session');
      }
      await begin(store, key, { guards: at(2, NOON + 10) });
      await begin(store, two, { guards: at(4, NOON + 9) });
    },
  },
  {
    name: 'begin: source is checked before live',
    run: async (store) => {
      await addGuarded(store);
      const guards = { source: { id: 'one', version: 'x' }, live: { sessions: 0, now: NOON } };
      expectEqual(await tryBegin(store, two, { guards }), refused('source'), 'begin');
      expectEqual(await tryBegin(store, key, { guards }), refused('absent'), 'a taken id');
    },
  },
];

/** For stores with events. */
export const beginEvents: readonly StoreCase<SessionStore>[] = [
  {
    name: 'events: a begin has an event for each change, in order, and none if it is refused',
    run: async (store) => {
      const events = (['created', 'started', 'appended'] as const).map((type) => ({
        type,
        at: NOON,
      }));
      await begin(store, key, { entries: [say('a'), say('b')], events });
      await tryBegin(store, key, { events });
      const logged = await eventsAfter(store, '0');
      const end = (await answerOf(store.find(key)))?.historyPosition;
      const [, , appended] = logged;
      expectEqual(
        logged.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.started', 2],
          ['session.appended', 3],
        ],
        'the events',
      );
      const part = { start: 0, historyPosition: end };
      expectEqual({ ...appended, ...part }, appended, 'the positions of the entries');
      expectEqual((await answerOf(store.find(key)))?.sequence, 3, 'the sequence');
    },
  },
];
