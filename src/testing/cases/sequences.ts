import { expectEqual } from '../expect-equal.js';
import { race, WRITERS } from '../race.js';
import { ended, headOf, keyOf, live, NOON, say, TENANT } from '../samples.js';
import { answerOf, append, insert, insertActive, replace, replacing } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const key = keyOf('one');

/** Fails unless `find` and `list` return this sequence for the session. */
const expectSequence = async (
  store: TodaysStore,
  expected: number,
  after: string,
): Promise<void> => {
  expectEqual(
    (await answerOf(store.find(key)))?.sequence,
    expected,
    `sequence in find after ${after}`,
  );
  const { records } = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(
    records.map(({ sequence }) => sequence),
    [expected],
    `sequence in list after ${after}`,
  );
};

export const sequences: readonly StoreCase[] = [
  {
    name: 'sequence: 1 after insert, and one more after each replace and each append',
    run: async (store) => {
      await insert(store, key);
      await expectSequence(store, 1, 'insert');
      await replace(store, key, live('ACTIVE', { revision: 2 }));
      await expectSequence(store, 2, 'the first replace');
      await append(store, key, ['a', 'b', 'c']);
      await expectSequence(store, 3, 'an append of three entries');
      await append(store, key, ['d'], 'op');
      await expectSequence(store, 4, 'an append with an operationId');
      await replace(store, key, live('PAUSED', { revision: 3 }));
      await expectSequence(store, 5, 'the second replace');
      await append(store, key, ['e']);
      await replace(store, key, ended('terminated', { revision: 4 }));
      await expectSequence(store, 7, 'another append and the last replace');
    },
  },
  {
    name: 'sequence: a call that writes nothing does not count',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['hello'], 'op');
      await append(store, key, ['hello'], 'op');
      await answerOf(
        store.append(key, { entries: [say('one too many')], now: NOON, maxEntries: 1 }),
      );
      await answerOf(replacing(store, key, live('PAUSED', { revision: 2 })));
      await answerOf(replacing(store, key, live('PAUSED', { revision: 4 })));
      await answerOf(store.remove(key, { revision: 1 }));
      await answerOf(store.insert(TENANT, headOf('one'), live('IDLE')));
      await answerOf(store.findEntries(key, { limit: 1 }));
      await expectSequence(store, 3, 'calls that wrote nothing');
      await replace(store, key, ended('failed', { revision: 3 }));
      await answerOf(store.append(key, { entries: [say('too late')], now: NOON }));
      await expectSequence(store, 4, 'a refused append');
    },
  },
  {
    name: 'sequence: a new session under a removed id begins at 1',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['hello']);
      await answerOf(store.remove(key));
      await insert(store, key);
      await expectSequence(store, 1, 'the second insert');
    },
  },
  {
    name: 'sequence: 50 appends at once count 50',
    run: async (store, second) => {
      await insertActive(store, key);
      await race(store, second, (each, writer) => append(each, key, [`${writer}`]));
      await expectSequence(store, 2 + WRITERS, '50 appends');
    },
  },
];
