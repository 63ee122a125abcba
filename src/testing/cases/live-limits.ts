import { expectEqual } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, insert, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const limit = { sessions: 2, now: NOON };

const start = (
  store: TodaysStore,
  id: string,
  deadline = Number.POSITIVE_INFINITY,
  active = limit,
) => answerOf(replacing(store, keyOf(id), live('ACTIVE', { revision: 2, deadline }), active));

const activeIn = async (store: TodaysStore): Promise<number> => {
  const status = { anyOf: ['ACTIVE'], now: NOON } as const;
  return (await answerOf(store.list(TENANT, { offset: 0, limit: 1, status }))).total;
};

/** The cases of a limit on the live sessions of a tenant: those that are ACTIVE or PAUSED. */
export const liveLimits: readonly StoreCase[] = [
  {
    name: 'live limit: a session beyond it is not replaced, until another one has ended',
    run: async (store) => {
      for (const id of ['a', 'b', 'c', 'idle']) await insert(store, keyOf(id));
      expectEqual(await start(store, 'a'), 'replaced', 'the first');
      expectEqual(await start(store, 'b'), 'replaced', 'the second');
      expectEqual(await start(store, 'c'), 'too_many', 'the third');
      expectEqual(
        await answerOf(store.findState(keyOf('c'))),
        live('IDLE'),
        'the session that was refused',
      );
      expectEqual(await activeIn(store), 2, 'those in the list');
      await replace(store, keyOf('a'), live('PAUSED', { revision: 3 }));
      expectEqual(await start(store, 'c'), 'too_many', 'after a pause');
      await replace(store, keyOf('a'), live('ACTIVE', { revision: 4 }));
      await replace(store, keyOf('b'), ended('terminated', { revision: 3 }));
      expectEqual(await start(store, 'c'), 'replaced', 'after an end');
      expectEqual(await start(store, 'idle'), 'too_many', 'one more');
      await answerOf(store.remove(keyOf('c')));
      expectEqual(await start(store, 'idle'), 'replaced', 'after a deletion');
    },
  },
  {
    name: 'live limit: a session counts until its deadline, and no longer',
    run: async (store) => {
      for (const id of ['a', 'b', 'c']) await insert(store, keyOf(id));
      await start(store, 'a', NOON + 10);
      await start(store, 'b', NOON + 20);
      const at = (now: number) => start(store, 'c', NOON + 99, { ...limit, now });
      expectEqual(await at(NOON + 9), 'too_many', 'before the deadline');
      expectEqual(await at(NOON + 10), 'replaced', 'at the deadline');
    },
  },
  {
    name: 'live limit: a paused session counts until the clock ends it',
    run: async (store) => {
      for (const id of ['a', 'b', 'c']) await insert(store, keyOf(id));
      await start(store, 'a');
      await start(store, 'b');
      await replace(store, keyOf('a'), live('PAUSED', { revision: 3, deadline: NOON + 10 }));
      const at = (now: number) => start(store, 'c', NOON + 99, { ...limit, now });
      expectEqual(await at(NOON + 9), 'too_many', 'before its deadline');
      expectEqual(await at(NOON + 10), 'replaced', 'at its deadline');
    },
  },
  {
    name: 'live limit: none may be started under a limit of 0, and any number without a limit',
    run: async (store) => {
      for (const id of ['a', 'b', 'c']) await insert(store, keyOf(id));
      const none = { sessions: 0, now: NOON };
      expectEqual(
        await start(store, 'a', Number.POSITIVE_INFINITY, none),
        'too_many',
        'a limit of 0',
      );
      for (const id of ['a', 'b', 'c'])
        await replace(store, keyOf(id), live('ACTIVE', { revision: 2 }));
      expectEqual(await activeIn(store), 3, 'those in the list');
    },
  },
  {
    name: 'live limit: each tenant has its own, and stale and missing are returned first',
    run: async (store) => {
      for (const id of ['a', 'b', 'c']) await insert(store, keyOf(id));
      await insert(store, keyOf('c', 'globex'));
      await start(store, 'a');
      await start(store, 'b');
      const theirs = live('ACTIVE', { revision: 2 });
      expectEqual(
        await answerOf(replacing(store, keyOf('c', 'globex'), theirs, limit)),
        'replaced',
        'another tenant',
      );
      const late = live('ACTIVE', { revision: 7 });
      expectEqual(
        await answerOf(replacing(store, keyOf('c'), late, limit)),
        'stale',
        'another revision',
      );
      expectEqual(
        await answerOf(replacing(store, keyOf('nobody'), theirs, limit)),
        'missing',
        'no session',
      );
    },
  },
  {
    name: 'live limit: of calls that race, as many succeed as it allows',
    run: async (store, second) => {
      for (const writer of upTo(WRITERS)) await insert(store, keyOf(`s${writer}`));
      const outcomes = await race(store, second, (each, writer) => start(each, `s${writer}`));
      expectEqual(
        outcomes.filter((outcome) => outcome === 'replaced').length,
        limit.sessions,
        'those that started',
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'too_many').length,
        WRITERS - 2,
        'those that were refused',
      );
      expectEqual(await activeIn(store), limit.sessions, 'those in the list');
    },
  },
];
