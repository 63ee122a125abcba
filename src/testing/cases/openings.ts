import type { SessionHead, StateRecord } from '../../session/session-record.js';
import type { Inserted, Opening, SessionStore } from '../../store/session-store.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { contentsOf, partOf } from '../history-steps.js';
import { race, WRITERS } from '../race.js';
import { positionsIn, rewind } from '../rewind-steps.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import { answerOf, append, expectStored, insertActive, replacing, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

/** The session to fork. */
const origin = keyOf('one');
const fork = keyOf('fork');

const started = live('ACTIVE', { revision: 2, startedAt: NOON });

const saying = (...contents: readonly string[]) => contents.map((content) => say(content));

const open = (
  store: SessionStore,
  opening: Partial<Opening>,
  state: StateRecord = started,
  head: SessionHead = headOf(fork.id),
): Promise<Inserted> => answerOf(store.insert(TENANT, head, state, { entries: [], ...opening }));

const from = (position?: number, maxBytes = 1_000_000) => ({
  from: { id: origin.id, maxBytes, ...(position !== undefined && { position }) },
});

/** Fails unless nothing was inserted. */
const expectNone = async (store: SessionStore): Promise<void> => {
  await expectStored(store, fork, undefined, 'what was refused');
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(
    page.records.map(({ head }) => head.id).filter((id) => id === fork.id),
    [],
    'what lists show of it',
  );
};

export const openings: readonly StoreCase[] = [
  {
    name: 'opening: a session is inserted with its start and its first entries, and then works like any other',
    run: async (store) => {
      expectEqual(await open(store, { entries: saying('a', 'b', 'c') }), 'inserted', 'insert');
      const begun = { head: headOf(fork.id), state: started, history: saying('a', 'b', 'c') };
      await expectStored(store, fork, begun);
      const found = await answerOf(store.find(fork));
      expectEqual([found?.historyCount, found?.sequence], [3, 3], 'the number of entries, and of changes');
      await append(store, fork, ['d']);
      expectEqual(await said(store, fork), ['a', 'b', 'c', 'd'], 'the history');
      const part = await partOf(store, { before: (await positionsIn(store, fork))[2] ?? 0, limit: 1 }, fork);
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
      for (const opening of [{ entries: saying('b') }, from(), { entries: saying('b'), maxEntries: 0 }]) {
        expectEqual(await open(store, opening), 'taken', 'another insert');
      }
      expectEqual(await answerOf(store.find(fork)), before, 'the session');
    },
  },
  {
    name: 'opening: no more entries than maxEntries',
    run: async (store) => {
      expectEqual(await open(store, { entries: saying('a', 'b'), maxEntries: 1 }), 'full', 'two entries');
      await expectNone(store);
      expectEqual(await open(store, { entries: saying('a', 'b'), maxEntries: 2 }), 'inserted', 'two of two');
    },
  },
  {
    name: 'fork: it begins with the history of its origin, and each goes its own way',
    run: async (store) => {
      await insertActive(store, origin);
      const end = await append(store, origin, ['one', 'two', '\u20ac three']);
      const answer = await open(store, { ...from(), entries: saying('four') });
      expectEqual(answer, { copied: 3, origin: { id: origin.id, position: end } }, 'insert');
      const head = { ...headOf(fork.id), origin: { id: origin.id, position: end } };
      await expectStored(store, fork, { head, state: started, history: saying('one', 'two', '\u20ac three', 'four') });
      await append(store, origin, ['five']);
      await append(store, fork, ['six']);
      expectEqual(await said(store, origin), ['one', 'two', '\u20ac three', 'five'], 'the origin');
      expectEqual(await said(store, fork), ['one', 'two', '\u20ac three', 'four', 'six'], 'the fork');
      await answerOf(store.remove(origin));
      expectEqual((await answerOf(store.find(fork)))?.history.length, 5, 'the fork without its origin');
    },
  },
  {
    name: 'fork: up to a position of the current history, after rewinds too',
    run: async (store) => {
      await insertActive(store, origin);
      await append(store, origin, ['one', 'two', 'three']);
      const before = await positionsIn(store);
      await rewind(store, before[1] ?? 0, ['four', 'five']);
      const now = await positionsIn(store);
      const cuts = [0, ...now];
      for (const [count, position] of cuts.entries()) {
        const head = headOf(`fork ${count}`);
        const answer = await open(store, from(position), started, head);
        expectEqual(answer, { copied: count, origin: { id: origin.id, position } }, `a fork at ${position}`);
        const history = await said(store, keyOf(head.id));
        expectEqual(history, ['one', 'two', 'four', 'five'].slice(0, count), `the fork at ${position}`);
        expectEqual(
          (await positionsIn(store, keyOf(head.id))).length,
          count,
          `the positions in the fork at ${position}`,
        );
      }
      const end = now.at(-1) ?? 0;
      for (const position of [before[2] ?? 0, end + 1, end + 1_000_000]) {
        expectEqual(await open(store, from(position)), 'invalid_position', `a fork at ${position}`);
      }
      await expectNone(store);
    },
  },
  {
    name: 'fork: an empty history, that of a fork, and that of a session which has ended',
    run: async (store) => {
      await insertActive(store, origin);
      expectEqual(await open(store, from()), { copied: 0, origin: { id: origin.id, position: 0 } }, 'an empty history');
      expectEqual((await answerOf(store.find(fork)))?.sequence, 2, 'the number of changes');
      await append(store, fork, ['hello']);
      const again = { from: { id: fork.id, maxBytes: 1_000_000 } };
      await open(store, again, live('IDLE'), headOf('two'));
      expectEqual(await said(store, keyOf('two')), ['hello'], 'a fork of the fork');
    },
  },
  {
    name: 'fork: nothing of a session that does not exist, or belongs to another tenant',
    run: async (store) => {
      expectEqual(await open(store, from()), 'missing', 'no session');
      await insertActive(store, { tenant: 'another', id: origin.id });
      expectEqual(await open(store, from()), 'missing', 'a session of another tenant');
      await expectNone(store);
    },
  },
  {
    name: 'fork: no more bytes than maxBytes, and no more entries than maxEntries',
    run: async (store) => {
      await insertActive(store, origin);
      const short = await append(store, origin, ['short']);
      await append(store, origin, ['x'.repeat(2000)]);
      expectEqual(await open(store, from(undefined, 1500)), 'too_large', 'the whole history');
      expectEqual(await open(store, { ...from(), entries: saying('a'), maxEntries: 2 }), 'full', 'one entry too many');
      await expectNone(store);
      const answer = await open(store, from(short, 1500));
      expectEqual(answer, { copied: 1, origin: { id: origin.id, position: short } }, 'the part that fits');
    },
  },
  {
    name: 'races: one of 50 inserts of the same id with entries succeeds, and its entries are kept',
    run: async (store, second) => {
      const outcomes = await race(store, second, (each, writer) => open(each, { entries: saying(`${writer}`, 'b') }));
      expectEqual(outcomes.filter((outcome) => outcome === 'inserted').length, 1, 'inserts that succeeded');
      expectEqual(outcomes.filter((outcome) => outcome === 'taken').length, WRITERS - 1, 'those that came later');
      expectEqual(await said(store, fork), [`${outcomes.indexOf('inserted')}`, 'b'], 'the history');
    },
  },
  {
    name: 'races: a fork has all of an append or rewind of its origin, or nothing of it',
    run: async (store, second) => {
      await insertActive(store, origin);
      const base = await append(store, origin, ['base']);
      await race(store, second, async (each, writer) => {
        const contents = [`${writer} a`, `${writer} b`];
        if (writer % 3 === 0) await append(each, origin, contents);
        else if (writer % 3 === 1) await rewind(each, base, contents);
        else await open(each, from(), started, headOf(`fork ${writer}`));
      });
      for (const writer of upTo(WRITERS).filter((each) => each % 3 === 2)) {
        const [first, ...rest] = (await said(store, keyOf(`fork ${writer}`))) ?? [];
        const pairs = rest.filter((_, at) => at % 2 === 0).map((content, at) => [content, rest[2 * at + 1]]);
        const whole = pairs.every(([a, b]) => a?.endsWith(' a') && b === a.replace(' a', ' b'));
        expectEqual([first, whole], ['base', true], `the history of fork ${writer}: ${rest.join()}`);
      }
    },
  },
];

/** The cases for stores that count ACTIVE sessions. */
export const openingLimits: readonly StoreCase[] = [
  {
    name: 'opening: a session that would be one ACTIVE session too many is not inserted',
    run: async (store) => {
      await insertActive(store, origin);
      const active = { sessions: 1, now: NOON };
      expectEqual(await open(store, { entries: saying('a'), active }), 'too_many', 'insert');
      await expectNone(store);
      await answerOf(replacing(store, origin, live('PAUSED', { revision: 3 })));
      expectEqual(await open(store, { entries: saying('a'), active }), 'inserted', 'with room for it');
      const listed = await answerOf(
        store.list(TENANT, { offset: 0, limit: 10, status: { status: 'ACTIVE', now: NOON } }),
      );
      expectEqual([listed.total, listed.records.map(({ head }) => head.id)], [1, [fork.id]], 'the ACTIVE sessions');
    },
  },
  {
    name: 'opening: of 50 inserts at a limit of 5 ACTIVE sessions, 5 succeed',
    run: async (store, second) => {
      const active = { sessions: 5, now: NOON };
      const outcomes = await race(store, second, (each, writer) =>
        open(each, { active }, started, headOf(`session ${writer}`)),
      );
      expectEqual(outcomes.filter((outcome) => outcome === 'inserted').length, 5, 'inserts that succeeded');
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
        told.map((event) => [event.type, event.sequence, event.type === 'session.appended' && event.historyPosition]),
        [
          ['session.created', 1, false],
          ['session.started', 2, false],
          ['session.appended', 3, end],
        ],
        'the events',
      );
      await open(store, { from: { id: fork.id, maxBytes: 10_000 } }, live('IDLE'), headOf('two'));
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
