import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { contentsOf, partOf } from '../history-steps.js';
import { expectNone, fork, open, origin, readOf, saying, started } from '../opening-steps.js';
import { race, WRITERS } from '../race.js';
import { positionsIn } from '../rewind-steps.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from '../samples.js';
import { answerOf, append, expectStored, insertActive, replacing, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

export const openings: readonly StoreCase[] = [
  {
    name: 'opening: a session is inserted with its start and its first entries, and then works like any other',
    run: async (store) => {
      expectEqual(await open(store, { entries: saying('a', 'b', 'c') }), 'inserted', 'insert');
      const begun = { head: headOf(fork.id), state: started, history: saying('a', 'b', 'c') };
      await expectStored(store, fork, begun);
      const found = await answerOf(store.find(fork));
      expectEqual(
        [found?.historyCount, found?.sequence],
        [3, 3],
        'the number of entries, and of changes',
      );
      await append(store, fork, ['d']);
      expectEqual(await said(store, fork), ['a', 'b', 'c', 'd'], 'the history');
      const part = await partOf(
        store,
        { before: (await positionsIn(store, fork))[2] ?? 0, limit: 1 },
        fork,
      );
      expectEqual(contentsOf(part), ['c'], 'an entry by its position');
      expectEqual(
        await answerOf(replacing(store, fork, live('PAUSED', { revision: 3 }))),
        'replaced',
        'a change of it',
      );
    },
  },
  {
    name: 'opening: one that is IDLE may begin with entries, and one that is started with none',
    run: async (store) => {
      expectEqual(await open(store, { entries: saying('a') }, live('IDLE')), 'inserted', 'IDLE');
      expectEqual((await answerOf(store.find(fork)))?.sequence, 2, 'the number of changes');
      expectEqual(await open(store, {}, started, headOf('two')), 'inserted', 'ACTIVE');
      expectEqual((await answerOf(store.find(keyOf('two'))))?.sequence, 2, 'the number of changes');
    },
  },
  {
    name: 'opening: a taken id is returned first, and the session that has it is unchanged',
    run: async (store) => {
      await open(store, { entries: saying('a') });
      const before = await answerOf(store.find(fork));
      const changed = { source: { id: origin.id, version: 'none' } };
      for (const opening of [{ entries: saying('b') }, changed]) {
        expectEqual(await open(store, opening), 'taken', 'another insert');
      }
      expectEqual(await answerOf(store.find(fork)), before, 'the session');
    },
  },
  {
    name: 'races: one of 50 inserts of the same id with entries succeeds, and its entries are kept',
    run: async (store, second) => {
      const outcomes = await race(store, second, (each, writer) =>
        open(each, { entries: saying(`${writer}`, 'b') }),
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'inserted').length,
        1,
        'inserts that succeeded',
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'taken').length,
        WRITERS - 1,
        'those that came later',
      );
      expectEqual(await said(store, fork), [`${outcomes.indexOf('inserted')}`, 'b'], 'the history');
    },
  },
];

/** The cases for stores that count live sessions. */
export const openingLimits: readonly StoreCase[] = [
  {
    name: 'opening: a session that would be one live session too many is not inserted',
    run: async (store) => {
      await insertActive(store, origin);
      const cap = { sessions: 1, now: NOON };
      expectEqual(await open(store, { entries: saying('a'), cap }), 'too_many', 'insert');
      await answerOf(replacing(store, origin, live('PAUSED', { revision: 3 })));
      expectEqual(
        await open(store, { entries: saying('a'), cap }),
        'too_many',
        'beside a paused one',
      );
      await expectNone(store);
      await answerOf(replacing(store, origin, ended('terminated', { revision: 4 })));
      expectEqual(await open(store, { entries: saying('a'), cap }), 'inserted', 'with room for it');
      const listed = await answerOf(
        store.list(TENANT, { offset: 0, limit: 10, status: { anyOf: ['ACTIVE'], now: NOON } }),
      );
      expectEqual(
        [listed.total, listed.records.map(({ head }) => head.id)],
        [1, [fork.id]],
        'the ACTIVE sessions',
      );
    },
  },
  {
    name: 'opening: of 50 inserts at a limit of 5 live sessions, 5 succeed',
    run: async (store, second) => {
      const cap = { sessions: 5, now: NOON };
      const outcomes = await race(store, second, (each, writer) =>
        open(each, { cap }, started, headOf(`session ${writer}`)),
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'inserted').length,
        5,
        'inserts that succeeded',
      );
    },
  },
];

/** The cases for stores with events. */
export const openingEvents: readonly StoreCase[] = [
  {
    name: 'events: the creation, the start and the history that a session begins with are one event each',
    run: async (store) => {
      const start = await latestPosition(store);
      await open(store, { entries: saying('a', 'b') });
      const [, end = 0] = await positionsIn(store, fork);
      const told = await eventsAfter(store, start);
      expectEqual(
        told.map((event) => [
          event.type,
          event.sequence,
          event.type === 'session.appended' && event.historyPosition,
        ]),
        [
          ['session.created', 1, false],
          ['session.started', 2, false],
          ['session.appended', 3, end],
        ],
        'the events',
      );
      await open(store, await readOf(store, fork), live('IDLE'), headOf('two'));
      const next = (await eventsAfter(store, start)).slice(3);
      expectEqual(
        next.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.created', 1],
          ['session.appended', 2],
        ],
        'the events of a fork that is not started',
      );
    },
  },
];
