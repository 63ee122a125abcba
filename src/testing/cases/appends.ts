import type { StateRecord } from '../../session/session-record.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { ended, keyOf, live, NOON, say, upTo } from '../samples.js';
import { answerOf, append, expectStored, insert, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** Inserts a session with this state, and tries to append at `now`. */
const appendTo = async (store: TodaysStore, id: string, state: StateRecord, now: number) => {
  const stored = await insert(store, keyOf(id));
  await replace(store, keyOf(id), state);
  const answer = await answerOf(store.append(keyOf(id), { entries: [say('hello')], now }));
  const history = answer.outcome === 'appended' ? [say('hello')] : [];
  const isLater = answer.outcome === 'appended' && now > state.lastActivityAt;
  const expected = isLater ? { ...state, lastActivityAt: now } : state;
  await expectStored(store, keyOf(id), { ...stored, state: expected, history });
  return answer;
};

export const appends: readonly StoreCase[] = [
  {
    name: 'append: ACTIVE and PAUSED sessions accept entries',
    run: async (store) => {
      for (const status of ['ACTIVE', 'PAUSED'] as const) {
        const answer = await appendTo(store, status, live(status, { revision: 2 }), NOON);
        expectEqual(answer.outcome, 'appended', `append while ${status}`);
      }
    },
  },
  {
    name: 'append: IDLE and TERMINATED sessions accept none, and return their state',
    run: async (store) => {
      const idle = live('IDLE', { revision: 2, deadline: NOON + 1000, operations: ['a', 'b'] });
      const over = ended('idle_timeout', { revision: 2, since: NOON - 5, activeMs: 7, limitMs: 9 });
      for (const [id, state] of Object.entries({ idle, over })) {
        expectEqual(
          await appendTo(store, id, state, NOON),
          { outcome: 'closed', state },
          `append while ${id}`,
        );
      }
    },
  },
  {
    name: 'append: entries are accepted until the millisecond before the deadline',
    run: async (store) => {
      for (const status of ['ACTIVE', 'PAUSED'] as const) {
        const state = live(status, { revision: 2, limitMs: 100, deadline: NOON + 100 });
        const before = await appendTo(store, `${status}-before`, state, NOON + 99);
        expectEqual(before.outcome, 'appended', `append to ${status} at the last millisecond`);
        for (const late of [100, 101, 1_000_000]) {
          const answer = await appendTo(store, `${status}-${late}`, state, NOON + late);
          expectEqual(
            answer,
            { outcome: 'closed', state },
            `append to ${status} ${late} ms after the start`,
          );
        }
      }
    },
  },
  {
    name: 'append: entries of a caller whose clock is behind are accepted',
    run: async (store) => {
      const state = live('ACTIVE', { revision: 2, since: NOON, deadline: NOON + 100 });
      const answer = await appendTo(store, 'behind', state, NOON - 5000);
      expectEqual(answer.outcome, 'appended', 'append before the start');
    },
  },
  {
    name: 'append: an unknown session is missing, and is not created',
    run: async (store) => {
      const answer = await answerOf(store.append(key, { entries: [say('hello')], now: NOON }));
      expectEqual(answer, { outcome: 'missing' }, 'append');
      await expectStored(store, key, undefined);
    },
  },
  {
    name: 'append: entries are kept in the order of the calls, those of one call together',
    run: async (store) => {
      const stored = await insertActive(store, key);
      const entries = upTo(40).map((index) =>
        say(`turn ${index}`, index % 2 === 0 ? 'user' : 'assistant', NOON - index),
      );
      const calls = [
        entries.slice(0, 1),
        entries.slice(1, 4),
        entries.slice(4, 5),
        entries.slice(5),
      ];
      for (const call of calls) await answerOf(store.append(key, { entries: call, now: NOON }));
      await expectStored(store, key, { ...stored, history: entries });
    },
  },
  {
    name: 'append: equal entries are all kept',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['yes', 'yes']);
      await append(store, key, ['yes']);
      await append(store, key, ['yes']);
      expectEqual(await said(store, key), ['yes', 'yes', 'yes', 'yes'], 'the history');
    },
  },
  {
    name: 'append: the position grows with every append',
    run: async (store) => {
      await insertActive(store, key);
      const positions: number[] = [];
      for (const contents of [['a'], ['b', 'c'], [''], ['d'.repeat(1000)]]) {
        positions.push(await append(store, key, contents));
      }
      const grows = positions.every(
        (position, index) => position > (positions[index - 1] ?? Number.NEGATIVE_INFINITY),
      );
      expectThat(grows, `each of the positions ${positions} is higher than the one before`);
    },
  },
  {
    name: 'append: the history continues after a pause, and stays after the end',
    run: async (store) => {
      const stored = await insertActive(store, key);
      await append(store, key, ['before the pause']);
      await replace(store, key, live('PAUSED', { revision: 3 }));
      await append(store, key, ['while paused']);
      await replace(store, key, live('ACTIVE', { revision: 4 }));
      await append(store, key, ['after the pause']);
      const state = ended('terminated', { revision: 5 });
      await replace(store, key, state);
      const answer = await answerOf(store.append(key, { entries: [say('too late')], now: NOON }));
      expectEqual(answer, { outcome: 'closed', state }, 'append after the end');
      const history = [say('before the pause'), say('while paused'), say('after the pause')];
      await expectStored(store, key, { ...stored, state, history });
    },
  },
  {
    name: 'append: a thousand entries at once, and a thousand more',
    run: async (store) => {
      const stored = await insertActive(store, key);
      const entries = upTo(2000).map((index) => say(`turn ${index}`));
      await answerOf(store.append(key, { entries: entries.slice(0, 1000), now: NOON }));
      await answerOf(store.append(key, { entries: entries.slice(1000), now: NOON }));
      await expectStored(store, key, { ...stored, history: entries });
    },
  },
];
