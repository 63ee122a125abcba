import type { SessionStore } from '../../store/session-store.js';
import { expectEqual } from '../expect.js';
import { hostileTexts } from '../hostile.js';
import { race } from '../race.js';
import { ended, keyOf, live, NOON, say } from '../samples.js';
import { answerOf, append, expectStored, insert, insertActive, replace } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

const hold = { holder: 'worker', fence: 1, until: NOON + 1000 };

/** The number of the last change, as `find` and `list` give it. */
const sequenceIn = async (store: SessionStore) => {
  const sequence = (await answerOf(store.find(key)))?.sequence;
  const { records } = await answerOf(store.list(key.tenant, { offset: 0, limit: 1 }));
  expectEqual(records[0]?.sequence, sequence, 'the sequence in the list');
  return sequence;
};

export const holds: readonly StoreCase[] = [
  {
    name: 'hold: a hold is read as it was written, through every status, and changes no number of a change',
    run: async (store) => {
      const { head } = await insert(store, key);
      const states = [
        live('IDLE', { revision: 2, hold }),
        live('ACTIVE', { revision: 3, hold }),
        live('ACTIVE', {
          revision: 4,
          hold: { ...hold, until: NOON + 2000 },
          operations: ['start:op', 'pause:1:2:x'],
        }),
        live('ACTIVE', { revision: 5, hold: { holder: 'other', fence: 2 ** 40, until: 0 } }),
        live('PAUSED', { revision: 6, hold: { ...hold, fence: 7 } }),
        ended('failed', { revision: 7, hold: { ...hold, fence: 7 } }),
      ];
      const sequences = [1, 2, 2, 2, 3, 4];
      for (const [at, state] of states.entries()) {
        await replace(store, key, state);
        await expectStored(store, key, { head, state, history: [] }, `the record with revision ${state.revision}`);
        expectEqual(await sequenceIn(store), sequences[at], `the sequence at revision ${state.revision}`);
      }
    },
  },
  {
    name: 'hold: appends and holds count as they come, and a later change has the next number',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one']);
      await replace(store, key, live('ACTIVE', { revision: 3, hold }));
      expectEqual(await sequenceIn(store), 3, 'the sequence after a hold');
      await append(store, key, ['two'], 'op');
      await replace(store, key, live('ACTIVE', { revision: 4, hold: { ...hold, until: 0 } }));
      await replace(store, key, live('PAUSED', { revision: 5, hold: { ...hold, until: 0 } }));
      expectEqual(await sequenceIn(store), 5, 'the sequence after an append, a release and a pause');
    },
  },
  {
    name: 'hold: one of 50 holders gets the session',
    run: async (store, second) => {
      await insertActive(store, key);
      const outcomes = await race(store, second, (each, writer) => {
        const mine = { holder: `worker ${writer}`, fence: 1, until: NOON + 1000 };
        return answerOf(each.replace(key, live('ACTIVE', { revision: 3, hold: mine })));
      });
      expectEqual(outcomes.filter((outcome) => outcome === 'replaced').length, 1, 'holds that were taken');
      const found = await answerOf(store.findState(key));
      const writer = outcomes.indexOf('replaced');
      expectEqual(found?.hold?.holder, `worker ${writer}`, 'the holder');
    },
  },
  {
    name: 'hold: a holder may have any name',
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
        const state = live('ACTIVE', { revision, hold: { ...hold, holder: holder.slice(0, 256) } });
        await replace(store, key, state);
        await expectStored(store, key, { head, state, history: [] }, `a session held by ${JSON.stringify(holder)}`);
        const call = { entries: [say('hello')], now: NOON, fence: 2 };
        expectEqual(await answerOf(store.append(key, call)), { outcome: 'not_held' }, 'an append with another fence');
      }
    },
  },
];

/** For a store with events. */
export const holdEvents: readonly StoreCase[] = [
  {
    name: 'hold: a hold has no event, and leaves no gap in the numbers of events',
    run: async (store) => {
      const { events } = store;
      if (events === undefined) throw new Error('the store has no events');
      await insert(store, key);
      const stream = events.streamOf(key.tenant);
      const position = await answerOf(events.latest(stream));
      await replace(store, key, live('IDLE', { revision: 2, hold }));
      await replace(store, key, live('ACTIVE', { revision: 3, hold }));
      await replace(store, key, live('ACTIVE', { revision: 4, hold: { ...hold, until: 0 } }));
      await append(store, key, ['hello']);
      const page = await answerOf(events.read(stream, position, 100, { tenant: key.tenant, sessionId: key.id }));
      const told = page.events.filter(({ sequence }) => sequence > 1);
      expectEqual(
        told.map(({ type, sequence }) => [type, sequence]),
        [
          ['session.started', 2],
          ['session.appended', 3],
        ],
        'the events',
      );
    },
  },
];
