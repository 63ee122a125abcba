import type { SessionStore } from '../../store/session-store.js';
import { eventsBehind, latestPosition, logOf } from '../event-steps.js';
import { expectEqual, expectThat } from '../expect.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, TENANT } from '../samples.js';
import { answerOf, append, insert, insertActive, replace, said } from '../steps.js';

/** A case that can lose the event of a change. */
export interface LostEventsCase {
  readonly name: string;
  run(store: SessionStore, loseEvents: (change: () => Promise<void>) => Promise<void>): Promise<void>;
}

const key = keyOf('one');

/** The sequences and types of the events after a position, each event once. */
const toldBehind = async (store: SessionStore, position: string): Promise<readonly string[]> => {
  const told = await eventsBehind(store, position);
  return [...new Map(told.map(({ id, type, sequence }) => [id, `${sequence} ${type}`])).values()];
};

/** The cases of a store that writes a change and its event in two steps. */
export const lostEvents: readonly LostEventsCase[] = [
  {
    name: 'events: repeat tells the lost event of the last change of the state',
    run: async (store, loseEvents) => {
      await insertActive(store, key);
      const start = await latestPosition(store);
      const paused = live('PAUSED', { revision: 3 });
      await loseEvents(async () => void (await store.replace(key, paused)));
      expectEqual(await answerOf(store.findState(key)), paused, 'the state after the change whose event was lost');
      expectEqual(await toldBehind(store, start), [], 'the events before repeat');
      await answerOf(logOf(store).repeat(key));
      await answerOf(logOf(store).repeat(key));
      expectEqual(await toldBehind(store, start), ['3 session.paused'], 'the events after repeat');
      const over = ended('failed', { revision: 4 });
      await loseEvents(async () => void (await store.replace(key, over)));
      await answerOf(logOf(store).repeat(key));
      expectEqual(
        await toldBehind(store, start),
        ['3 session.paused', '4 session.terminated'],
        'the events at the end',
      );
    },
  },
  {
    name: 'events: a repeated insert, or repeat, tells the lost event of a creation',
    run: async (store, loseEvents) => {
      for (const id of ['again', 'repeat']) {
        const start = await latestPosition(store);
        const insertIt = () => store.insert(TENANT, headOf(id), live('IDLE'));
        await loseEvents(async () => void (await insertIt()));
        expectEqual(await toldBehind(store, start), [], 'the events before');
        if (id === 'again') expectEqual(await answerOf(insertIt()), 'taken', 'the second insert');
        else await answerOf(logOf(store).repeat(keyOf(id)));
        expectEqual(await toldBehind(store, start), ['1 session.created'], `the events after ${id}`);
      }
    },
  },
  {
    name: 'events: a repeated append tells its lost event',
    run: async (store, loseEvents) => {
      await insertActive(store, key);
      const start = await latestPosition(store);
      const call = { entries: [say('hello')], now: NOON, operation: operationOf('op') };
      await loseEvents(async () => void (await store.append(key, call)));
      expectEqual(await said(store, key), ['hello'], 'the history');
      expectEqual(await toldBehind(store, start), [], 'the events before');
      await append(store, key, ['hello'], 'op');
      expectEqual(await toldBehind(store, start), ['3 session.appended'], 'the events after');
    },
  },
  {
    name: 'events: after a lost event, the number of the next one shows the gap',
    run: async (store, loseEvents) => {
      await insert(store, key);
      const start = await latestPosition(store);
      await loseEvents(async () => void (await store.replace(key, live('ACTIVE', { revision: 2 }))));
      await replace(store, key, live('PAUSED', { revision: 3 }));
      const told = await toldBehind(store, start);
      expectThat(told.includes('3 session.paused'), `the next change has number 3 in ${told.join(', ')}`);
    },
  },
];
