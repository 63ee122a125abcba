import { eventsAfter, latestPosition } from '../event-steps.js';
import { expectEqual } from '../expect-equal.js';
import { foundIn, key, partOf } from '../history-steps.js';
import { race } from '../race.js';
import { positionsIn, rewind } from '../rewind-steps.js';
import { ended, keyOf, NOON, operationOf, say } from '../samples.js';
import { answerOf, append, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const redact = (store: TodaysStore, positions: readonly number[], of = key) =>
  answerOf(store.redact(of, positions, NOON));

export const redactions: readonly StoreCase[] = [
  {
    name: 'redact: the content, id and data of entries are gone from every read, and their positions stay',
    run: async (store) => {
      await insertActive(store, key);
      const secret = {
        ...say('\u20ac my secret', 'assistant'),
        id: 'm-2',
        data: { tokens: 3, call: '\u{1F600}' },
      };
      await answerOf(store.append(key, { entries: [say('one'), secret, say('three')], now: NOON }));
      const before = await foundIn(store, { after: 0, limit: 10 });
      const positions = before.entries.map(({ position }) => position);
      expectEqual(await redact(store, [positions[1] ?? 0]), 'redacted', 'redact');
      const left = [say('one'), say('', 'assistant'), say('three')];
      expectEqual((await answerOf(store.find(key)))?.history, left, 'the history');
      expectEqual(
        (await answerOf(store.find(key, { historyLimit: 2 })))?.history,
        left.slice(1),
        'the latest two',
      );
      expectEqual((await partOf(store, { after: 0, limit: 10 })).entries, left, 'a part');
      expectEqual(await positionsIn(store), positions, 'the positions');
      const found = await answerOf(store.find(key));
      expectEqual(
        [found?.historyCount, found?.sequence],
        [3, 4],
        'the number of entries, and of changes',
      );
      await append(store, key, ['four']);
      expectEqual(
        await said(store, key),
        ['one', '', 'three', 'four'],
        'the history after an append',
      );
    },
  },
  {
    name: 'redact: once is enough, and what has nothing to redact is no change',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', '', 'three']);
      const [first = 0, second = 0] = await positionsIn(store);
      expectEqual(await redact(store, [first]), 'redacted', 'the first time');
      const before = await answerOf(store.find(key));
      expectEqual(await redact(store, [first, second]), 'redacted', 'again, and an empty entry');
      expectEqual(await answerOf(store.find(key)), before, 'the session');
    },
  },
  {
    name: 'redact: several entries at once, large ones too, in any status',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['x'.repeat(50_000), 'two', 'three']);
      const [first = 0, , third = 0] = await positionsIn(store);
      await replace(store, key, ended('terminated', { revision: 3 }));
      const state = await answerOf(store.findState(key));
      expectEqual(await redact(store, [first, third]), 'redacted', 'redact');
      expectEqual(await said(store, key), ['', 'two', ''], 'the history');
      expectEqual(await answerOf(store.findState(key)), state, 'the state');
    },
  },
  {
    name: 'redact: entries that are superseded may be redacted, and a rewind works as before',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two', 'three']);
      const [first = 0, second = 0, third = 0] = await positionsIn(store);
      const end = await rewind(store, first, ['four']);
      expectEqual(await redact(store, [second, third, end]), 'redacted', 'redact');
      expectEqual(await said(store, key), ['one', ''], 'the history');
      await rewind(store, first, ['five']);
      expectEqual(await said(store, key), ['one', 'five'], 'the history after a rewind');
    },
  },
  {
    name: 'redact: a position after the end is invalid, and a session that is not there is missing',
    run: async (store) => {
      await insertActive(store, key);
      const end = await append(store, key, ['one', 'two']);
      for (const position of [end + 1, end + 1_000_000]) {
        expectEqual(
          await redact(store, [end, position]),
          'invalid_position',
          `with position ${position}`,
        );
      }
      expectEqual(await said(store, key), ['one', 'two'], 'the history');
      expectEqual(await redact(store, [1], keyOf('two')), 'missing', 'no session');
      expectEqual(
        await redact(store, [end], { tenant: 'another', id: key.id }),
        'missing',
        'another tenant',
      );
    },
  },
  {
    name: 'redact: an append is still recognised by its operation id when its entries are redacted',
    run: async (store) => {
      await insertActive(store, key);
      const call = { entries: [say('one'), say('two')], now: NOON, operation: operationOf('op') };
      const first = await answerOf(store.append(key, call));
      await redact(store, await positionsIn(store));
      expectEqual(
        await answerOf(store.append(key, call)),
        { ...first, repeated: true },
        'the append again',
      );
      expectEqual(await said(store, key), ['', ''], 'the history');
    },
  },
  {
    name: 'races: 50 redactions and appends at once are all made',
    run: async (store, second) => {
      await insertActive(store, key);
      await append(
        store,
        key,
        Array.from({ length: 25 }, (_, at) => `secret ${at}`),
      );
      const positions = await positionsIn(store);
      await race(store, second, async (each, writer) => {
        if (writer < 25) await redact(each, [positions[writer] ?? 0]);
        else await append(each, key, [`${writer}`]);
      });
      const contents = (await said(store, key)) ?? [];
      expectEqual(
        [contents.length, contents.filter((content) => content === '').length],
        [50, 25],
        'the history',
      );
      expectEqual((await answerOf(store.find(key)))?.sequence, 53, 'the number of changes');
    },
  },
];

/** The cases for stores with events. */
export const redactionEvents: readonly StoreCase[] = [
  {
    name: 'events: a redaction is one event with the positions, and one that changes nothing has none',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['one', 'two']);
      const positions = await positionsIn(store);
      const start = await latestPosition(store);
      await redact(store, positions);
      await redact(store, positions);
      const told = await eventsAfter(store, start);
      expectEqual(
        told.map((event) =>
          event.type === 'session.redacted' ? [event.sequence, event.positions] : event.type,
        ),
        [[4, positions]],
        'the events',
      );
    },
  },
];
