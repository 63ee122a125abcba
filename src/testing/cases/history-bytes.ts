import type { HistoryEntry } from '../../session/session.js';
import type { SessionStore } from '../../store/session-store.js';
import { add, begin } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { key } from '../guarded.js';
import { type Part, partOf, readOn } from '../history-steps.js';
import { say, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

/** Thirty entries of about 2 kB of JSON, appended one, two and three at a time. */
const addLong = async (store: SessionStore): Promise<readonly HistoryEntry[]> => {
  await begin(store, key);
  const entries = upTo(30).map((turn) => say(`turn ${turn}: "${'x\u00E9\u20AC'.repeat(330)}"\n`));
  for (let from = 0, count = 1; from < entries.length; from += count, count = (count % 3) + 1)
    await add(store, key, entries.slice(from, from + count));
  return entries;
};

/** The limit is approximate, and a part of a longer history uses most of it. */
const expectSize = ({ entries }: Part, maxBytes: number, isCut: boolean): void => {
  const bytes = new TextEncoder().encode(JSON.stringify(entries)).length;
  const what = `a part of ${bytes} bytes`;
  expectThat(bytes <= maxBytes * 1.05 + 100, `${what} has about ${maxBytes} at most`);
  expectThat(!isCut || bytes > maxBytes / 3, `${what} uses most of ${maxBytes}`);
};

const sizes = [5000, 9000, 25_000];

export const historyBytes: readonly PortCase[] = [
  {
    name: 'maxBytes: a part has about this number of bytes of JSON, and all parts together have every entry once',
    run: async (store) => {
      const entries = await addLong(store);
      for (const maxBytes of sizes) {
        const read = await readOn(store, 0, { limit: 100, maxBytes }, (part) =>
          expectSize(part, maxBytes, part.hasMore),
        );
        expectEqual(read, entries, `the entries, ${maxBytes} bytes at a time`);
      }
    },
  },
  {
    name: 'maxBytes: of the last entries, the latest are given',
    run: async (store) => {
      const entries = await addLong(store);
      for (const maxBytes of sizes) {
        const part = await partOf(store, { limit: 20, maxBytes });
        expectSize(part, maxBytes, true);
        const count = part.entries.length;
        expectEqual(part.entries, entries.slice(-count), 'the latest entries');
        expectEqual(part.hasMore, false, 'hasMore');
        const before = await partOf(store, { before: part.start, limit: 20, maxBytes });
        const expected = entries.slice(-count - before.entries.length, -count);
        expectEqual(before.entries, expected, 'the latest entries before them');
        expectSize(before, maxBytes, true);
      }
    },
  },
  {
    name: 'maxBytes: a part has at least one entry, however large that is',
    run: async (store) => {
      const entries = await addLong(store);
      const few = { limit: 5, maxBytes: 1 };
      expectEqual((await partOf(store, few)).entries, entries.slice(-1), 'the last');
      const first = await partOf(store, { ...few, after: 0 });
      expectEqual(first.entries, entries.slice(0, 1), 'the first');
      const second = await partOf(store, { ...few, after: first.position });
      expectEqual([second.entries, second.hasMore], [entries.slice(1, 2), true], 'the second');
    },
  },
  {
    name: 'maxBytes: a limit above the size of the history changes nothing',
    run: async (store) => {
      await addLong(store);
      for (const slice of [{ limit: 7 }, { after: 0, limit: 7 }, { after: 0, limit: 1000 }]) {
        const part = await partOf(store, { ...slice, maxBytes: 10_000_000 });
        expectEqual(part, await partOf(store, slice), 'the part');
      }
    },
  },
];
