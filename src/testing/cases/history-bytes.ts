import type { HistoryEntry } from '../../session/session.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { key, partOf } from '../history-steps.js';
import { NOON, say, upTo } from '../samples.js';
import { answerOf, insertActive, repeatUntil } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { TodaysStore } from '../todays-store.js';

const jsonBytes = (entries: readonly HistoryEntry[]): number =>
  new TextEncoder().encode(JSON.stringify(entries)).length;

/** Thirty entries of about 2 kB of JSON, appended one, two and three at a time. */
const insertLong = async (store: TodaysStore): Promise<readonly HistoryEntry[]> => {
  await insertActive(store, key);
  const entries = upTo(30).map((turn) => say(`turn ${turn}: "${'x\u00E9\u20AC'.repeat(330)}"\n`));
  for (let from = 0, count = 1; from < entries.length; from += count, count = (count % 3) + 1) {
    await answerOf(store.append(key, { entries: entries.slice(from, from + count), now: NOON }));
  }
  return entries;
};

/** Slightly more than the limit, because the limit is approximate. */
const byteLimit = (maxBytes: number): number => maxBytes * 1.05 + 100;

export const historyBytes: readonly StoreCase[] = [
  {
    name: 'maxBytes: a part has about this number of bytes of JSON, and all parts together have every entry once',
    run: async (store) => {
      const entries = await insertLong(store);
      for (const maxBytes of [5000, 9000, 25_000]) {
        const read: HistoryEntry[] = [];
        let after = 0;
        await repeatUntil('a part without hasMore', entries.length, async () => {
          const part = await partOf(store, { after, limit: 100, maxBytes });
          const bytes = jsonBytes(part.entries);
          expectThat(
            bytes <= byteLimit(maxBytes),
            `a part of ${bytes} bytes has about ${maxBytes} at most`,
          );
          expectThat(
            !part.hasMore || bytes > maxBytes / 3,
            `a part of ${bytes} bytes uses most of ${maxBytes}`,
          );
          read.push(...part.entries);
          after = part.position;
          return !part.hasMore;
        });
        expectEqual(read, entries, `the entries, ${maxBytes} bytes at a time`);
      }
    },
  },
  {
    name: 'maxBytes: of the last entries, the latest are given',
    run: async (store) => {
      const entries = await insertLong(store);
      for (const maxBytes of [5000, 9000, 25_000]) {
        const part = await partOf(store, { limit: 20, maxBytes });
        const bytes = jsonBytes(part.entries);
        expectThat(
          bytes <= byteLimit(maxBytes),
          `a part of ${bytes} bytes has about ${maxBytes} at most`,
        );
        expectThat(bytes > maxBytes / 3, `a part of ${bytes} bytes uses most of ${maxBytes}`);
        expectEqual(
          part.entries,
          entries.slice(entries.length - part.entries.length),
          'the latest entries',
        );
        expectEqual(part.hasMore, false, 'hasMore');
        const before = await partOf(store, { before: part.start, limit: 20, maxBytes });
        expectEqual(
          before.entries,
          entries.slice(-part.entries.length - before.entries.length, -part.entries.length),
          'the latest entries before them',
        );
        expectThat(
          jsonBytes(before.entries) <= byteLimit(maxBytes),
          `they have about ${maxBytes} bytes at most`,
        );
        const next = await partOf(store, { after: part.position, limit: 10 });
        expectEqual(next.entries, [], 'what follows them');
      }
    },
  },
  {
    name: 'maxBytes: a part has at least one entry, however large that is',
    run: async (store) => {
      const entries = await insertLong(store);
      expectEqual(
        (await partOf(store, { limit: 5, maxBytes: 1 })).entries,
        entries.slice(-1),
        'the last',
      );
      const first = await partOf(store, { after: 0, limit: 5, maxBytes: 1 });
      expectEqual(first.entries, entries.slice(0, 1), 'the first');
      const second = await partOf(store, { after: first.position, limit: 5, maxBytes: 1 });
      expectEqual([second.entries, second.hasMore], [entries.slice(1, 2), true], 'the second');
    },
  },
  {
    name: 'maxBytes: a limit above the size of the history changes nothing',
    run: async (store) => {
      await insertLong(store);
      for (const slice of [{ limit: 7 }, { after: 0, limit: 7 }, { after: 0, limit: 1000 }]) {
        const part = await partOf(store, { ...slice, maxBytes: 10_000_000 });
        expectEqual(part, await partOf(store, slice), 'the part');
      }
    },
  },
];
