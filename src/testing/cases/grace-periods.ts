import type { SessionTerms, StateRecord } from '../../session/session-record.js';
import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, noTerms, say } from '../samples.js';
import { answerOf, insert, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

const terms: SessionTerms = { ...noTerms, graceMs: 1000 };

const outcomeAt = async (store: TodaysStore, ms: number): Promise<string> =>
  (await answerOf(store.append(key, { entries: [say(`at ${ms}`)], now: NOON + ms }))).outcome;

const outcomesAt = async (
  store: TodaysStore,
  times: readonly number[],
): Promise<readonly string[]> => {
  const outcomes: string[] = [];
  for (const ms of times) outcomes.push(await outcomeAt(store, ms));
  return outcomes;
};

const become = async (store: TodaysStore, state: StateRecord): Promise<void> => {
  await insert(store, key, headOf('one'), live('IDLE', { terms, deadline: state.deadline }));
  if (state.revision > 1) await replace(store, key, state);
};

/** Fails unless the state is unchanged. */
const expectState = async (store: TodaysStore, state: StateRecord): Promise<void> => {
  expectEqual(await answerOf(store.findState(key)), state, 'the state');
};

export const gracePeriods: readonly StoreCase[] = [
  {
    name: 'grace: entries are accepted in the grace period after a stored end, and change nothing else',
    run: async (store) => {
      const end = ended('terminated', { revision: 2, since: NOON + 100, terms });
      await become(store, end);
      const outcomes = await outcomesAt(store, [100, 1099, 1100]);
      expectEqual(outcomes, ['appended', 'appended', 'closed'], 'the outcomes');
      expectEqual(await said(store, key), ['at 100', 'at 1099'], 'the history');
      await expectState(store, end);
    },
  },
  {
    name: 'grace: entries are accepted after an end that the clock has made and nobody has stored',
    run: async (store) => {
      const state = live('ACTIVE', { revision: 2, deadline: NOON + 100, terms });
      await become(store, state);
      expectEqual(
        await outcomesAt(store, [99, 100, 1099, 1100]),
        ['appended', 'appended', 'appended', 'closed'],
        'ACTIVE',
      );
      await expectState(store, { ...state, lastActivityAt: NOON + 99 });
      await replace(
        store,
        key,
        live('PAUSED', { revision: 3, deadline: NOON + 200, terms, lastActivityAt: NOON + 99 }),
      );
      expectEqual(
        await outcomesAt(store, [200, 1199, 1200]),
        ['appended', 'appended', 'closed'],
        'PAUSED',
      );
    },
  },
  {
    name: 'grace: a session that is IDLE accepts entries from its end on',
    run: async (store) => {
      await become(store, live('IDLE', { deadline: NOON + 100, terms }));
      expectEqual(
        await outcomesAt(store, [0, 99, 100, 1099, 1100]),
        ['closed', 'closed', 'appended', 'appended', 'closed'],
        'IDLE',
      );
    },
  },
  {
    name: 'grace: entries after an end by inactivity do not undo the end',
    run: async (store) => {
      const state = live('ACTIVE', { revision: 2, terms: { ...terms, inactivityTimeoutMs: 500 } });
      await become(store, state);
      expectEqual(
        await outcomesAt(store, [100, 600, 1599, 1600]),
        ['appended', 'appended', 'appended', 'closed'],
        'the outcomes',
      );
      await expectState(store, { ...state, lastActivityAt: NOON + 100 });
    },
  },
  {
    name: 'grace: a session without it accepts nothing after its end',
    run: async (store) => {
      await insert(store, key, headOf('one'), live('IDLE', { deadline: NOON + 100 }));
      expectEqual(await outcomesAt(store, [99, 100, 101]), ['closed', 'closed', 'closed'], 'IDLE');
      await replace(store, key, ended('terminated', { revision: 2, since: NOON + 50 }));
      expectEqual(
        await outcomesAt(store, [49, 50, 51]),
        ['closed', 'closed', 'closed'],
        'TERMINATED',
      );
    },
  },
];
