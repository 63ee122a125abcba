import type { StateRecord } from '../../session/session-record.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, noTerms, operationOf, say } from '../samples.js';
import { answerOf, append, insert, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { HistoryAppend, TodaysStore } from '../todays-store.js';
import { idsOf } from './claims.js';

const key = keyOf('one');

/** After all that these cases do. */
const LATER = NOON + 10_000;

const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };

const insertState = (store: TodaysStore, state: StateRecord) =>
  insert(store, key, headOf(key.id), state);

/** Appends an entry at a time and wakes. Returns the position. */
const wake = async (
  store: TodaysStore,
  now: number,
  revision: number,
  more: Partial<HistoryAppend> = {},
): Promise<number> => {
  const call = { entries: [say(`at ${now - NOON}`)], now, wake: { revision }, ...more };
  const answer = await answerOf(store.append(key, call));
  if (answer.outcome === 'appended') return answer.position;
  throw new Error(`append answered ${answer.outcome}`);
};

const stateIn = (store: TodaysStore) => answerOf(store.findState(key));

const sequenceIn = async (store: TodaysStore) => (await answerOf(store.find(key)))?.sequence;

/** Fails unless the session is claimable from this time on, by a claim of all tenants. */
const expectClaimableAt = async (store: TodaysStore, at: number, what: string): Promise<void> => {
  expectEqual(
    await idsOf(store, { tenant: undefined, now: at - 1 }),
    [],
    `a millisecond before, ${what}`,
  );
  expectEqual(await idsOf(store, { tenant: undefined, now: at }), ['one'], `then, ${what}`);
};

export const wakes: readonly StoreCase[] = [
  {
    name: 'wake: an append that wakes makes a session wait for a worker from its time on, with another revision',
    run: async (store, second) => {
      const labels = { user: 'u-1' };
      const state = live('ACTIVE', { revision: 2, labels, metadata: { plan: '\u0000' } });
      await insertState(store, state);
      await wake(store, NOON + 5, 9);
      const work = { wakeAt: NOON + 5 };
      const woken = { ...state, revision: 9, lastActivityAt: NOON + 5, work };
      for (const each of [store, second]) expectEqual(await stateIn(each), woken, 'the state');
      expectEqual((await answerOf(store.find(key)))?.state, woken, 'the state in find');
      expectEqual(await said(store, key), ['at 5'], 'the history');
      await expectClaimableAt(second, NOON + 5, 'by another store');
    },
  },
  {
    name: 'wake: of several times the earliest counts',
    run: async (store) => {
      await insertState(store, live('PAUSED', { work: { wakeAt: NOON + 500 } }));
      await wake(store, NOON + 5, 2);
      await wake(store, NOON + 7, 3);
      const state = await stateIn(store);
      expectEqual(
        [state?.work.wakeAt, state?.revision],
        [NOON + 5, 3],
        'the time and the revision',
      );
      await expectClaimableAt(store, NOON + 5, 'at the earliest time');
    },
  },
  {
    name: 'wake: a lease holds off the claim until its end, and one that is over does not',
    run: async (store) => {
      await insertState(store, live('ACTIVE', { work: { lease } }));
      await wake(store, NOON + 5, 2);
      await expectClaimableAt(store, NOON + 1000, 'after a lease');
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 3, work: { lease: { ...lease, maxAttempts: 10 } } }),
      );
      await wake(store, NOON + 5, 4);
      await expectClaimableAt(store, NOON + 1000, 'after a claim');
      const released = { ...lease, until: 0, releasedAt: NOON + 6 };
      await replace(store, key, live('ACTIVE', { revision: 5, work: { lease: released } }));
      await wake(store, NOON + 7, 6);
      await expectClaimableAt(store, NOON + 7, 'after a release');
    },
  },
  {
    name: 'wake: a session that was just handed out can be claimed again at once',
    run: async (store) => {
      await insertState(store, live('ACTIVE', { work: { wakeAt: NOON } }));
      expectEqual(await idsOf(store, { until: LATER }), ['one'], 'the first claim');
      await wake(store, NOON + 5, 2);
      expectEqual(await idsOf(store, { now: NOON + 5 }), ['one'], 'a claim after the append');
    },
  },
  {
    name: 'wake: a change that was decided before is stale, so that it cannot undo the wake',
    run: async (store) => {
      const before = live('ACTIVE', { work: { lease } });
      await insertState(store, before);
      await wake(store, NOON + 5, 7);
      const next = live('ACTIVE', {
        revision: 2,
        work: { lease: { ...lease, until: 0, releasedAt: NOON + 5 } },
      });
      expectEqual(await answerOf(store.replace(key, before, next)), 'stale', 'a release');
      expectEqual((await stateIn(store))?.work.wakeAt, NOON + 5, 'the wake');
      const woken = await stateIn(store);
      if (woken === undefined) throw new Error('there is no state');
      const done = { ...woken, revision: 8 };
      expectEqual(
        await answerOf(store.replace(key, woken, done)),
        'replaced',
        'a change that was decided after',
      );
      expectEqual(await stateIn(store), done, 'the state after it');
    },
  },
  {
    name: 'wake: an append without wake changes neither the revision nor the time',
    run: async (store) => {
      const state = live('ACTIVE', { revision: 3, work: { wakeAt: NOON + 500 } });
      await insertState(store, state);
      await append(store, key, ['hello']);
      expectEqual(await stateIn(store), state, 'the state');
      await expectClaimableAt(store, NOON + 500, 'as before');
    },
  },
  {
    name: 'wake: a repeated append wakes nothing, nor does one that is refused',
    run: async (store) => {
      await insertState(store, live('ACTIVE'));
      const first = await wake(store, NOON, 2, { operation: operationOf('op') });
      const done = live('ACTIVE', { revision: 3 });
      await replace(store, key, done);
      const sequence = await sequenceIn(store);
      expectEqual(
        await wake(store, NOON + 5, 4, { operation: operationOf('op') }),
        first,
        'the position',
      );
      const refused = { entries: [say('no')], now: NOON + 5, wake: { revision: 4 } };
      const mismatch = { ...refused, operation: operationOf('op', 'some-other-thing') };
      for (const each of [mismatch, { ...refused, ifPosition: 0 }, { ...refused, maxEntries: 1 }]) {
        expectEqual(
          (await answerOf(store.append(key, each))).outcome === 'appended',
          false,
          'a refused append',
        );
      }
      expectEqual(await stateIn(store), done, 'the state');
      expectEqual(await sequenceIn(store), sequence, 'the sequence');
      expectEqual(await idsOf(store, { now: LATER }), [], 'a claim');
    },
  },
  {
    name: 'wake: in the grace period the entries are stored, and nobody is woken',
    run: async (store) => {
      const terms = { ...noTerms, graceMs: 1000 };
      const expired = live('ACTIVE', { revision: 2, deadline: NOON + 100, terms });
      await insertState(store, expired);
      await wake(store, NOON + 100, 3);
      expectEqual(await stateIn(store), expired, 'the state after an end by the clock');
      const over = ended('failed', { revision: 3, since: NOON + 50, terms });
      await replace(store, key, over);
      await wake(store, NOON + 101, 4);
      expectEqual(await stateIn(store), over, 'the state after a stored end');
      expectEqual(await said(store, key), ['at 100', 'at 101'], 'the history');
      expectEqual(await sequenceIn(store), 4, 'the sequence');
      expectEqual(await idsOf(store, { now: LATER }), [], 'a claim');
    },
  },
  {
    name: 'wake: postpones an end by inactivity as every append does',
    run: async (store) => {
      const terms = { ...noTerms, inactivityTimeoutMs: 100 };
      await insertState(store, live('ACTIVE', { terms }));
      await wake(store, NOON + 99, 2);
      await wake(store, NOON + 198, 3);
      const state = await stateIn(store);
      expectEqual(
        [state?.revision, state?.lastActivityAt],
        [3, NOON + 198],
        'the state after both',
      );
      expectEqual(
        (await answerOf(store.append(key, { entries: [say('late')], now: NOON + 298 }))).outcome,
        'closed',
        'late',
      );
    },
  },
  {
    name: 'wake: a rewind wakes too, also one without entries',
    run: async (store) => {
      await insertState(store, live('ACTIVE'));
      const first = await wake(store, NOON, 2);
      await wake(store, NOON + 1, 3);
      await wake(store, NOON + 2, 4, { after: first });
      expectEqual(await said(store, key), ['at 0', 'at 2'], 'the history after a rewind');
      await wake(store, NOON + 3, 5, { after: 0, entries: [] });
      expectEqual(await said(store, key), [], 'the history after a rewind to the beginning');
      const state = await stateIn(store);
      expectEqual([state?.revision, state?.work.wakeAt], [5, NOON], 'the revision and the time');
      expectEqual(await sequenceIn(store), 9, 'the sequence');
      await wake(store, NOON + 4, 6);
      expectEqual(await said(store, key), ['at 4'], 'the history after another append');
    },
  },
  {
    name: 'wake: racing appends are all kept, and one claim gets the session',
    run: async (store, second) => {
      await insertState(store, live('ACTIVE'));
      await race(store, second, (each, writer) => wake(each, NOON + writer, 100 + writer));
      expectEqual((await said(store, key))?.length, WRITERS, 'the number of entries');
      expectEqual(await sequenceIn(store), 1 + 2 * WRITERS, 'the sequence');
      expectEqual((await stateIn(store))?.work.wakeAt, NOON, 'the earliest time');
      const claims = await race(store, second, (each) => idsOf(each, { now: NOON + WRITERS }));
      expectEqual(claims.flat(), ['one'], 'the claims of all');
    },
  },
];

/** For a store with events. */
export const wakeEvents: readonly StoreCase[] = [
  {
    name: 'wake: has an event after that of its append, and each counts',
    run: async (store) => {
      await insertState(
        store,
        live('ACTIVE', { terms: { ...noTerms, graceMs: 1000 }, deadline: NOON + 100 }),
      );
      const position = await latestPosition(store);
      await wake(store, NOON + 5, 2);
      await wake(store, NOON + 6, 3, { operation: operationOf('op') });
      await wake(store, NOON + 6, 4, { operation: operationOf('op') });
      await wake(store, NOON + 100, 5);
      const told = await eventsAfter(store, position);
      expectEqual(
        told.map(({ type, sequence, at }) => [type, sequence, Date.parse(at) - NOON]),
        [
          ['session.appended', 2, 5],
          ['session.woken', 3, 5],
          ['session.appended', 4, 6],
          ['session.woken', 5, 6],
          ['session.appended', 6, 100],
        ],
        'the events',
      );
    },
  },
  {
    name: 'wake: a change of the state that wakes has an event, one that does not wake has none',
    run: async (store) => {
      await insertState(store, live('ACTIVE'));
      const position = await latestPosition(store);
      for (const [at, wakeAt] of [NOON + 9, NOON + 5, NOON + 5, NOON + 7].entries()) {
        const next = live('ACTIVE', {
          revision: at + 2,
          work: { wakeAt },
          lastActivityAt: NOON + at,
        });
        await replace(store, key, next);
      }
      const told = await eventsAfter(store, position);
      expectEqual(
        told.map(({ type, sequence, at }) => [type, sequence, Date.parse(at) - NOON]),
        [
          ['session.woken', 2, 0],
          ['session.woken', 3, 1],
        ],
        'the events',
      );
    },
  },
];
