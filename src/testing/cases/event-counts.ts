import type { StateRecord } from '../../session/session-record.js';
import { endReasons } from '../../session/session-status.js';
import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { race } from '../race.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT, upTo } from '../samples.js';
import { answerOf, append, insert, insertActive, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');
const lease = { holder: 'worker', fencingToken: 3, takenAt: NOON, until: NOON + 1000 };

/** Fails unless the events after a position, as both stores read them, have these numbers. */
const expectNumbers = async (
  [store, second]: readonly [TodaysStore, TodaysStore],
  position: string,
  numbers: readonly number[],
  after: string,
): Promise<void> => {
  for (const each of [store, second]) {
    const told = await eventsAfter(each, position);
    expectEqual(
      told.map(({ sequence }) => sequence),
      numbers,
      `the numbers of the events after ${after}`,
    );
  }
};

const firsts = (count: number): readonly number[] => upTo(count).map((at) => at + 1);

/** The cases on changes without their event, events without a change, and doubled events. */
export const eventCounts: readonly StoreCase[] = [
  {
    name: 'events: a change that was acknowledged has its event, whatever the change',
    run: async (store, second) => {
      for (const endReason of endReasons) {
        const start = await latestPosition(store);
        const id = keyOf(endReason);
        let count = 0;
        const expectNext = async (change: string): Promise<void> => {
          count += 1;
          await expectNumbers([store, second], start, firsts(count), change);
        };
        const become = async (next: StateRecord): Promise<void> => {
          await replace(store, id, next);
          await expectNext(`the change to ${next.status}, revision ${next.revision}`);
        };
        await insert(store, id);
        await expectNext('insert');
        await become(live('ACTIVE', { revision: 2, deadline: NOON + 1000 }));
        await become(live('PAUSED', { revision: 3 }));
        await become(live('ACTIVE', { revision: 4 }));
        await become(live('ACTIVE', { revision: 5, work: { lease } }));
        await append(store, id, ['hello', 'you']);
        await expectNext('append');
        await append(store, id, ['hello'], 'op');
        await expectNext('an append with an operation');
        await answerOf(store.append(id, { entries: [say('leased')], now: NOON, fencingToken: 3 }));
        await expectNext('an append of the holder');
        await become(
          live('ACTIVE', {
            revision: 6,
            work: { lease: { ...lease, until: 0, releasedAt: NOON } },
          }),
        );
        await become(ended(endReason, { revision: 7 }));
        await answerOf(store.remove(id, { revision: 7 }));
        await expectNext('remove');
      }
    },
  },
  {
    name: 'events: a call that was refused, or that only renews a lease or reschedules, has no event',
    run: async (store, second) => {
      await insertActive(store, key);
      await append(store, key, ['hello'], 'op');
      await replace(store, key, live('ACTIVE', { revision: 3, work: { lease } }));
      const start = await latestPosition(store);
      const say1 = { entries: [say('more')], now: NOON };
      const none = async (call: string, answer: Promise<unknown>): Promise<void> => {
        await answer;
        await expectNumbers([store, second], start, [], call);
      };
      await none(
        'insert of a taken id',
        answerOf(store.insert(TENANT, headOf('one'), live('IDLE'))),
      );
      await none(
        'a stale replace',
        answerOf(replacing(store, key, live('PAUSED', { revision: 2 }))),
      );
      await none('a stale remove', answerOf(store.remove(key, { revision: 1 })));
      const other = operationOf('op', 'other content');
      await none(
        'an append of other content',
        answerOf(store.append(key, { ...say1, operation: other })),
      );
      await none(
        'an append at another position',
        answerOf(store.append(key, { ...say1, ifPosition: 0 })),
      );
      await none(
        'an append of no holder',
        answerOf(store.append(key, { ...say1, fencingToken: 1 })),
      );
      await none(
        'an append to a full history',
        answerOf(store.append(key, { ...say1, maxEntries: 1 })),
      );
      const renewed = { ...lease, until: NOON + 2000 };
      await none(
        'a renewal',
        replace(
          store,
          key,
          live('ACTIVE', { revision: 4, work: { lease: renewed }, deadline: NOON + 9 }),
        ),
      );
      const earlier = { from: NOON + 9, to: NOON + 5 };
      await none('reschedule', answerOf(store.reschedule(key, earlier)));
      await replace(store, key, ended('failed', { revision: 5 }));
      await append(store, key, ['late']).catch(() => undefined);
      await expectNumbers([store, second], start, [5], 'an append to a session that has ended');
    },
  },
  {
    name: 'events: of calls that race for one change, one has an event',
    run: async (store, second) => {
      const start = await latestPosition(store);
      const expectOne = async (
        count: number,
        call: string,
        write: (store: TodaysStore) => Promise<unknown>,
      ): Promise<void> => {
        await race(store, second, write);
        await expectNumbers([store, second], start, firsts(count), `simultaneous calls of ${call}`);
      };
      await expectOne(1, 'insert', (each) =>
        answerOf(each.insert(TENANT, headOf('one'), live('IDLE'))),
      );
      await expectOne(2, 'replace', (each) =>
        answerOf(replacing(each, key, live('ACTIVE', { revision: 2 }))),
      );
      await expectOne(3, 'append', (each) => append(each, key, ['once'], 'op'));
      await expectOne(4, 'remove', (each) => answerOf(each.remove(key)));
    },
  },
  {
    name: 'events: work that is cancelled, or has failed in all its attempts, has an event',
    run: async (store) => {
      await insert(store, key, headOf(key.id), live('ACTIVE'));
      const position = await latestPosition(store);
      const types = ['cancelled', 'exhausted'] as const;
      for (const [at, type] of types.entries()) {
        const event = { type, at: NOON + at };
        const previous = live('ACTIVE', { revision: at + 1 });
        const next = live('ACTIVE', { revision: at + 2 });
        await answerOf(store.replace(key, previous, next, { event }));
      }
      const told = await eventsAfter(store, position);
      expectEqual(
        told.map(({ type, sequence, at }) => [type, sequence, Date.parse(at) - NOON]),
        [
          ['session.cancelled', 2, 0],
          ['session.exhausted', 3, 1],
        ],
        'the events',
      );
    },
  },
];
