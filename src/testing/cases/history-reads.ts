import type { HistoryEntry } from '../../session/session.js';
import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { add, append, begin, placed, put, redact, remove } from '../commits.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { key } from '../guarded.js';
import { foundIn, type Part, partOf, readOn } from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

/** Short texts, texts that break code, and one that is longer than all others together. */
const texts = ['a', 'b', ...hostileTexts, 'x'.repeat(100_000), 'c', 'd', 'e'];

/** The last `count` items; none for 0. */
const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(Math.max(0, items.length - count));

const limits: readonly PortCase[] = [
  {
    name: 'historyLimit: find returns the latest entries, oldest first, or all if there are fewer',
    run: async (store) => {
      await begin(store, key, { entries: texts.slice(0, 5).map((text) => say(text)) });
      for (const text of texts.slice(5)) await append(store, key, [text]);
      const whole = await answerOf(store.find(key));
      expectEqual(whole?.historyCount, texts.length, 'the number of entries');
      for (const historyLimit of [0, 1, 4, 10, texts.length - 1, texts.length, 10_000]) {
        const history = lastOf(texts, historyLimit).map((text) => say(text));
        const found = await answerOf(store.find(key, { historyLimit }));
        expectEqual(found, whole && { ...whole, history }, `with ${historyLimit}`);
      }
      for (const historyLimit of [0, 1])
        expectEqual(await answerOf(store.find(keyOf('two'), { historyLimit })), undefined, 'none');
    },
  },
  {
    name: 'historyLimit: page cuts each history by itself',
    run: async (store) => {
      for (const [at, count] of [0, 1, 3, 20].entries())
        await begin(store, keyOf(`s${at}`), {
          head: headOf(`s${at}`, NOON + at),
          entries: texts.slice(0, count).map((text) => say(text)),
        });
      const range = { offset: 0, limit: 10 };
      const whole = await answerOf(store.page(TENANT, range));
      for (const historyLimit of [0, 1, 2, 3, 19, 20, 21]) {
        const page = await answerOf(store.page(TENANT, { ...range, historyLimit }));
        const records = whole.records.map((record) => ({
          ...record,
          history: lastOf(record.history, historyLimit),
        }));
        expectEqual(page, { ...whole, records }, `with at most ${historyLimit} of each`);
      }
    },
  },
];

/** Fails unless all reads have the same version and end of the history. Returns the version. */
const versionIn = async (store: SessionStore, second: SessionStore): Promise<string> => {
  const { version, position } = await foundIn(store, { limit: 1000 });
  for (const size of [{}, { historyLimit: 0 }, { historyLimit: 1 }]) {
    const { historyVersion, historyPosition } = (await answerOf(second.find(key, size))) ?? {};
    const found = [historyVersion, historyPosition];
    expectEqual(found, [version, position], `the history with ${JSON.stringify(size)}`);
  }
  const isPlain = /^[\w.-]{1,64}$/.test(version);
  expectThat(isPlain, 'a version has 1 to 64 of the characters A-Z a-z 0-9 _ . -');
  return version;
};

/** Cases of `historyVersion` and `historyPosition` of a record. */
const versions: readonly PortCase[] = [
  {
    name: 'history: a record has the version and the end that the parts of its history have',
    run: async (store, second) => {
      await begin(store, key);
      const first = await versionIn(store, second);
      await append(store, key, ['one', 'two', 'three']);
      expectEqual(await versionIn(store, second), first, 'the version after an append');
      await put(store, key, live('PAUSED', { revision: 2 }));
      expectEqual(await versionIn(store, second), first, 'the version after a change of the state');
      const [one, two] = await placed(store, key);
      if (one === undefined || two === undefined) throw new Error('the entries are not there');
      const steps = [
        () => append(store, key, ['other'], {}, { truncate: two.position }),
        () => append(store, key, [], {}, { truncate: two.position }),
        () => redact(store, key, [one.position]),
        async () => {
          await remove(store, key);
          await begin(store, key);
        },
      ];
      const versions = [first];
      for (const step of steps) {
        await step();
        versions.push(await versionIn(store, second));
      }
      const what = 'the versions after two rewinds, a redaction and a new session';
      expectEqual(new Set(versions).size, versions.length, what);
    },
  },
];

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

const bytes: readonly PortCase[] = [
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

/** Cases of the size of what is read, and of the versions of histories. */
export const historyReads: readonly PortCase[] = [...limits, ...versions, ...bytes];
