import { expectEqual } from '../expect-equal.js';
import { keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import { answerOf, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

const appendAt = (store: TodaysStore, ms: number, conditions: object = {}) =>
  answerOf(store.append(key, { entries: [say('hello')], now: NOON + ms, ...conditions }));

/** Fails unless every read gives this time of the last activity, in milliseconds after NOON. */
const expectActivity = async (store: TodaysStore, ms: number, what: string): Promise<void> => {
  const found = await answerOf(store.find(key));
  const light = await answerOf(store.find(key, { historyLimit: 1 }));
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  const state = await answerOf(store.findState(key));
  const states = [found?.state, light?.state, page.records[0]?.state, state];
  expectEqual(
    states.map((each) => each && each.lastActivityAt - NOON),
    [ms, ms, ms, ms],
    `the last activity after ${what}`,
  );
};

/** When a session was last used. */
export const activity: readonly StoreCase[] = [
  {
    name: 'activity: an append moves it to its time, and never back',
    run: async (store) => {
      await insertActive(store, key);
      await expectActivity(store, 0, 'a start at noon');
      await appendAt(store, 5000);
      await expectActivity(store, 5000, 'an append 5 s later');
      await appendAt(store, 2000);
      await expectActivity(store, 5000, 'an append of a caller whose clock is behind');
      await appendAt(store, 86_400_000_000);
      await expectActivity(store, 86_400_000_000, 'an append years later');
    },
  },
  {
    name: 'activity: an append that writes nothing does not move it',
    run: async (store) => {
      await insertActive(store, key);
      await appendAt(store, 1, { operation: operationOf('op') });
      const outcomes = [
        await appendAt(store, 1000, { operation: operationOf('op') }),
        await appendAt(store, 1000, { operation: operationOf('op', 'of-other-content') }),
        await appendAt(store, 1000, { ifPosition: 0 }),
        await appendAt(store, 1000, { maxEntries: 1 }),
      ];
      expectEqual(
        outcomes.map(({ outcome }) => outcome),
        ['appended', 'mismatch', 'moved', 'full'],
        'the outcomes',
      );
      await expectActivity(store, 1, 'appends that were refused or repeated');
    },
  },
  {
    name: 'activity: a new state moves it forward, and never back after an append',
    run: async (store) => {
      await insert(store, key);
      const at = (ms: number) => ({ since: NOON + ms, lastActivityAt: NOON + ms });
      await replace(store, key, live('ACTIVE', { revision: 2, ...at(1000) }));
      await expectActivity(store, 1000, 'a start');
      await appendAt(store, 3000);
      await replace(store, key, live('PAUSED', { revision: 3, ...at(2000) }));
      await expectActivity(store, 3000, 'a pause of a caller whose clock is behind');
      await replace(store, key, live('ACTIVE', { revision: 4, ...at(4000) }));
      await expectActivity(store, 4000, 'a later resume');
    },
  },
  {
    name: 'activity: an append that comes too late is answered with the state and its last activity',
    run: async (store) => {
      await insertActive(store, key);
      await appendAt(store, 70);
      const state = live('PAUSED', {
        revision: 3,
        deadline: NOON + 100,
        lastActivityAt: NOON + 80,
      });
      await replace(store, key, state);
      expectEqual(
        await appendAt(store, 100),
        { outcome: 'closed', state },
        'an append at the deadline',
      );
      await expectActivity(store, 80, 'an append that came too late');
    },
  },
];
