import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { headOf, keyOf, live, NOON, say } from '../samples.js';
import {
  answerOf,
  append,
  dueOf,
  expectStored,
  insert,
  insertActive,
  replace,
  replacing,
} from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

/** Changes of the time limit, which keep the status. */
export const extensions: readonly StoreCase[] = [
  {
    name: 'extend: another time limit is a change though the status stays, and has the next number',
    run: async (store) => {
      const { head } = await insert(store, key, headOf('one', NOON, { timeLimit: 60 }));
      const states = [
        live('IDLE', { revision: 2, limitMs: 90_000 }),
        live('IDLE', { revision: 3, limitMs: 5, operations: ['extend-0.005:op'] }),
        live('IDLE', { revision: 4 }),
        live('ACTIVE', { revision: 5 }),
        live('ACTIVE', { revision: 6, limitMs: 2_592_000_000 }),
      ];
      for (const [at, state] of states.entries()) {
        await replace(store, key, state);
        await expectStored(store, key, { head, state, history: [] });
        expectEqual(
          (await answerOf(store.find(key)))?.sequence,
          at + 2,
          `the sequence of revision ${state.revision}`,
        );
      }
      await append(store, key, ['hello']);
      expectEqual((await answerOf(store.find(key)))?.sequence, 7, 'the sequence after an append');
      const stale = live('ACTIVE', { revision: 6, limitMs: 7 });
      expectEqual(await answerOf(replacing(store, key, stale)), 'stale', 'a stale extension');
      expectEqual(
        (await answerOf(store.find(key)))?.sequence,
        7,
        'the sequence after a stale extension',
      );
    },
  },
  {
    name: 'extend: a session is due at its new deadline, later or earlier, and takes entries until then',
    run: async (store) => {
      await insert(store, key);
      await replace(store, key, live('ACTIVE', { revision: 2, limitMs: 50, deadline: NOON + 50 }));
      for (const [revision, ms] of [
        [3, 100],
        [4, 70],
      ] as const) {
        const deadline = NOON + ms;
        await replace(store, key, live('ACTIVE', { revision, limitMs: ms, deadline }));
        expectEqual(await dueOf(store, deadline - 1, 10), [], 'due before the new deadline');
        expectEqual(
          await dueOf(store, deadline, 10),
          [{ ...key, dueAt: deadline }],
          'due at the new deadline',
        );
        for (const [now, outcome] of [
          [deadline - 1, 'appended'],
          [deadline, 'closed'],
        ] as const) {
          const appended = await answerOf(store.append(key, { entries: [say('hello')], now }));
          expectEqual(
            appended.outcome,
            outcome,
            `an append ${deadline - now} ms before the new deadline`,
          );
        }
      }
    },
  },
];

/** For a store with events. */
export const extensionEvents: readonly StoreCase[] = [
  {
    name: 'extend: the event of an extension has the new limit and the new end, and is logged once',
    run: async (store) => {
      await insertActive(store, key);
      const start = await latestPosition(store);
      const endsAt = NOON + 600_000;
      const first = live('ACTIVE', {
        revision: 3,
        limitMs: 600_000,
        deadline: endsAt,
        lastActivityAt: NOON + 7,
      });
      await replace(store, key, first);
      expectEqual(
        await answerOf(replacing(store, key, first)),
        'stale',
        'the same extension again',
      );
      await replace(store, key, live('ACTIVE', { revision: 4, lastActivityAt: NOON + 9 }));
      await replace(
        store,
        key,
        live('PAUSED', { revision: 5, limitMs: 600_000, since: NOON + 10 }),
      );
      await replace(
        store,
        key,
        live('PAUSED', { revision: 6, limitMs: 1500, lastActivityAt: NOON + 11 }),
      );
      await replace(
        store,
        key,
        live('PAUSED', { revision: 7, limitMs: 1500, lastActivityAt: NOON + 12 }),
      );
      const at = (ms: number) => new Date(NOON + ms).toISOString();
      expectEqual(
        (await eventsAfter(store, start)).map((event) => {
          const told = [event.type, event.sequence, event.at];
          return event.type === 'session.extended'
            ? [...told, event.timeLimit, event.endsAt]
            : told;
        }),
        [
          ['session.extended', 3, at(7), 600, at(600_000)],
          ['session.extended', 4, at(9), 0, undefined],
          ['session.paused', 5, at(10)],
          ['session.extended', 6, at(11), 1.5, undefined],
        ],
        'the events',
      );
    },
  },
];
