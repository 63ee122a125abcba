import type { SessionEvent } from '../../session/session-event.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { hostileTexts } from '../hostile-texts.js';
import { race } from '../race.js';
import { ended, keyOf, live, NOON, say } from '../samples.js';
import {
  answerOf,
  append,
  expectStored,
  insert,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };

const released = { ...lease, until: 0, releasedAt: NOON + 7 };

const tokenOf = (event: SessionEvent): number | undefined =>
  'fencingToken' in event ? event.fencingToken : undefined;

/** The number of the last change, as `find` and `list` give it. */
const sequenceIn = async (store: TodaysStore) => {
  const sequence = (await answerOf(store.find(key)))?.sequence;
  const { records } = await answerOf(store.list(key.tenant, { offset: 0, limit: 1 }));
  expectEqual(records[0]?.sequence, sequence, 'the sequence in the list');
  return sequence;
};

export const leases: readonly StoreCase[] = [
  {
    name: 'lease: a lease is read as it was written, through every status, and a renewal changes no number of a change',
    run: async (store) => {
      const { head } = await insert(store, key);
      const states = [
        live('IDLE', { revision: 2, work: { lease } }),
        live('ACTIVE', { revision: 3, work: { lease } }),
        live('ACTIVE', {
          revision: 4,
          work: { lease: { ...lease, until: NOON + 2000 } },
          operations: ['start:op', 'pause:1:2:x'],
        }),
        live('ACTIVE', {
          revision: 5,
          work: {
            lease: {
              holder: 'other',
              fencingToken: 2 ** 40,
              takenAt: NOON,
              until: 0,
              releasedAt: NOON,
            },
          },
        }),
        live('PAUSED', { revision: 6, work: { lease: { ...lease, fencingToken: 7 } } }),
        ended('failed', { revision: 7, work: { lease: { ...lease, fencingToken: 7 } } }),
      ];
      const sequences = [2, 3, 3, 4, 5, 6];
      for (const [at, state] of states.entries()) {
        await replace(store, key, state);
        await expectStored(
          store,
          key,
          { head, state, history: [] },
          `the record with revision ${state.revision}`,
        );
        expectEqual(
          await sequenceIn(store),
          sequences[at],
          `the sequence at revision ${state.revision}`,
        );
      }
    },
  },
  {
    name: 'lease: appends, leases and releases count as they come, and renewals do not',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one']);
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease } }));
      expectEqual(await sequenceIn(store), 4, 'the sequence after a lease');
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 4, work: { lease: { ...lease, until: NOON + 2000 } } }),
      );
      expectEqual(await sequenceIn(store), 4, 'the sequence after a renewal');
      await append(store, key, ['two'], 'op');
      await replace(store, key, live('ACTIVE', { revision: 5, work: { lease: released } }));
      await replace(store, key, live('PAUSED', { revision: 6, work: { lease: released } }));
      expectEqual(
        await sequenceIn(store),
        7,
        'the sequence after an append, a release and a pause',
      );
    },
  },
  {
    name: 'lease: one of 50 holders gets the session',
    run: async (store, second) => {
      await insertActive(store, key);
      const outcomes = await race(store, second, (each, writer) => {
        const mine = {
          holder: `worker ${writer}`,
          fencingToken: 1,
          takenAt: NOON,
          until: NOON + 1000,
        };
        return answerOf(
          replacing(each, key, live('ACTIVE', { revision: 3, work: { lease: mine } })),
        );
      });
      expectEqual(
        outcomes.filter((outcome) => outcome === 'replaced').length,
        1,
        'leases that were taken',
      );
      const found = await answerOf(store.findState(key));
      const writer = outcomes.indexOf('replaced');
      expectEqual(found?.work.lease?.holder, `worker ${writer}`, 'the holder');
    },
  },
  {
    name: 'lease: a holder may have any name',
    run: async (store) => {
      const { head } = await insertActive(store, key);
      let revision = 2;
      for (const holder of [
        '@2:9999999999999:x',
        ' @2:9999999999999:',
        ' =op',
        'a:b c',
        ...hostileTexts.filter((text) => text !== ''),
      ]) {
        revision += 1;
        const state = live('ACTIVE', {
          revision,
          work: { lease: { ...lease, holder: holder.slice(0, 256) } },
        });
        await replace(store, key, state);
        await expectStored(
          store,
          key,
          { head, state, history: [] },
          `a session leased by ${JSON.stringify(holder)}`,
        );
        const call = { entries: [say('hello')], now: NOON, fencingToken: 2 };
        expectEqual(
          await answerOf(store.append(key, call)),
          { outcome: 'lease_lost' },
          'an append with another fencing token',
        );
      }
    },
  },
];

/** For a store with events. */
export const leaseEvents: readonly StoreCase[] = [
  {
    name: 'lease: a lease that is taken or released has an event with its fencing token, a renewal has none',
    run: async (store) => {
      await insert(store, key);
      const position = await latestPosition(store);
      await replace(
        store,
        key,
        live('IDLE', { revision: 2, work: { lease: { ...lease, takenAt: NOON + 1 } } }),
      );
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease }, since: NOON + 2 }));
      await replace(
        store,
        key,
        live('ACTIVE', { revision: 4, work: { lease: { ...lease, until: NOON + 2000 } } }),
      );
      await append(store, key, ['hello']);
      const other = { holder: 'other', fencingToken: 2, takenAt: NOON + 3, until: NOON + 5000 };
      await replace(store, key, live('ACTIVE', { revision: 5, work: { lease: other } }));
      await replace(
        store,
        key,
        live('ACTIVE', {
          revision: 6,
          work: { lease: { ...other, until: 0, releasedAt: NOON + 4 } },
        }),
      );
      await replace(
        store,
        key,
        live('PAUSED', {
          revision: 7,
          work: { lease: { ...other, until: 0, releasedAt: NOON + 4 } },
        }),
      );
      const told = await eventsAfter(store, position);
      expectEqual(
        told.map((event) => [
          event.type,
          event.sequence,
          Date.parse(event.at) - NOON,
          tokenOf(event),
        ]),
        [
          ['session.leased', 2, 1, 1],
          ['session.started', 3, 2, undefined],
          ['session.appended', 4, 0, undefined],
          ['session.leased', 5, 3, 2],
          ['session.released', 6, 4, 2],
          ['session.paused', 7, 0, undefined],
        ],
        'the events',
      );
    },
  },
];
