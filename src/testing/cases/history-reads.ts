import { type HistoryEntry, type JsonValue } from '../../session/session.js';
import { type SessionKey } from '../../session/session-key.js';
import { answerOf, expectEqual, expectThat } from '../answers.js';
import {
  add,
  append,
  begin,
  placed,
  put,
  raceOf,
  remove,
  key,
  find,
  redact,
  beginAt,
} from '../commits.js';
import {
  addTalk,
  foundIn,
  MAXIMUM_PARTS,
  partOf,
  readBack,
  readOn,
  textsOf,
  type Part,
} from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { mutateDeeply } from '../mutate-deeply.js';
import { ended, headOf, keyOf, NOON, say, upTo, live, TENANT } from '../samples.js';
import { type Cases } from '../store-case.js';
import { type SessionStore } from '../../store/session-store.js';

const data: readonly JsonValue[] = [
  'text',
  '',
  -1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  [null, [[]], { a: [1, 'two', { three: null }] }],
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"no"}'),
  Object.fromEntries(hostileTexts.map((text, at) => [`${at}${text}`, text])),
];

/** Entries with any text, id and data, short and long. */
const entries: readonly HistoryEntry[] = [
  ...data.map((each, at) => ({ ...say(`data ${at}`, 'tool', NOON + at), data: each })),
  ...hostileTexts.map((text, at) => ({ ...say(text), role: hostileTexts[at + 1] || 'user' })),
  ...hostileTexts.map((id) => ({ ...say('both'), id: `${id}.`, data: { id } })),
  ...upTo(20).map((at) => say(`${at} ${'\u20AC\u00E9x'.repeat((at * 331) % 7000)}`)),
];

export const historyParts: Cases = {
  'history: a part without a position is the latest entries, oldest first, or all if there are fewer':
    async (store) => {
      const said = await addTalk(store);
      await put(store, key, ended('terminated'));
      for (const limit of [1, 2, 5, said.length - 1, said.length, said.length + 1, 1000]) {
        const part = await partOf(store, { limit });
        expectEqual(textsOf(part.entries), said.slice(-limit), `the latest ${limit}`);
        expectEqual(part.hasMore, false, 'hasMore');
        const next = await partOf(store, { after: part.position, limit: 10 });
        expectEqual([next.entries, next.hasMore], [[], false], 'the part after them');
        const again = await partOf(store, { after: part.start, limit: 1000 });
        expectEqual(again, part, `the part after the start of the latest ${limit}`);
        const before = await partOf(store, { before: part.start, limit: 1000 });
        expectEqual(textsOf(before.entries), said.slice(0, -limit), `before the latest ${limit}`);
        const bounds = [before.start, before.hasMore];
        expectEqual(bounds, [0, true], 'its start, and whether more follow');
      }
    },
  'history: part by part from the position after any entry, each entry comes once and in order, whatever the limit':
    async (store) => {
      const said = await addTalk(store);
      const places = [0, ...(await placed(store, key)).map(({ position }) => position)];
      for (const limit of [1, 2, 7, said.length, said.length + 1]) {
        for (const [count, position] of places.entries()) {
          const what = `${position}, ${limit} at a time`;
          const on = await readOn(store, position, { limit });
          expectEqual(textsOf(on), said.slice(count), `after ${what}`);
          const back = await readBack(store, position, limit);
          expectEqual(textsOf(back), said.slice(0, count), `before ${what}`);
        }
      }
    },
  'history: hasMore reports whether entries follow the part': async (store) => {
    await begin(store, key);
    await append(store, key, ['a', 'b', 'c']);
    const more = async (limit: number) => (await partOf(store, { after: 0, limit })).hasMore;
    const found = [await more(1), await more(2), await more(3), await more(4)];
    expectEqual(found, [true, true, false, false], 'hasMore');
  },
  'history: a position beyond the end is invalid': async (store) => {
    await begin(store, key);
    for (const end of [await append(store, key, ['hello']), 1e9, Number.MAX_SAFE_INTEGER - 1]) {
      for (const slice of [{ after: end + 1 }, { before: end + 1 }]) {
        const found = await answerOf(store.entries(key, { ...slice, limit: 10 }));
        expectEqual(found, { outcome: 'invalid_position' }, JSON.stringify(slice));
      }
    }
  },
  'history: that of an unknown session, another tenant\u2019s, or a removed one is missing': async (
    store,
  ) => {
    const expectMissing = async (of: SessionKey) => {
      for (const slice of [{}, { after: 0 }, { before: 5 }]) {
        const found = await answerOf(store.entries(of, { ...slice, limit: 1 }));
        expectEqual(found, { outcome: 'missing' }, JSON.stringify([of, slice]));
      }
    };
    await expectMissing(key);
    await begin(store, key, { entries: [say('hello')] });
    await expectMissing(keyOf('one', 'globex'));
    await expectMissing(keyOf('on'));
    await remove(store, key);
    await expectMissing(key);
    await begin(store, key);
    const empty = await partOf(store, { limit: 1 });
    expectEqual([empty.entries, empty.start], [[], empty.position], 'those of a new session');
  },
  'history: any text, id and data is read as it was written, one by one and many together': async (
    store,
  ) => {
    const options = { behavior: '\u20AC'.repeat(20_000), context: '\n{"\u20AC"},\n"op",\n' };
    await begin(store, key, { head: headOf('one', NOON, options), entries: entries.slice(0, 4) });
    for (let from = 4, count = 1; from < entries.length; from += count, count = (count % 3) + 1)
      await add(store, key, entries.slice(from, from + count));
    const record = await find(store);
    expectEqual([record?.history, record?.historyCount], [entries, entries.length], 'find');
    const end = record?.historyPosition ?? 0;
    for (const limit of [1, 3, 40, entries.length]) {
      const what = `${limit} at a time`;
      expectEqual(await readOn(store, 0, { limit }), entries, what);
      expectEqual(await readBack(store, end, limit), entries, `back, ${what}`);
      const latest = await partOf(store, { limit });
      expectEqual(latest.entries, entries.slice(-limit), `the latest ${limit}`);
    }
  },
  'history: changing entries that were written or read changes nothing in the store': async (
    store,
  ) => {
    const given = { ...say('given'), data: { list: [1, { deep: 'x' }] } };
    const expected = [structuredClone(given), say('goodbye')];
    await begin(store, key);
    const end = await add(store, key, [given, say('goodbye')]);
    mutateDeeply(given);
    for (const slice of [{ limit: 2 }, { after: 0, limit: 2 }, { before: end, limit: 2 }]) {
      mutateDeeply(await foundIn(store, slice));
      mutateDeeply(await find(store, key, { historyLimit: 2 }));
      expectEqual((await partOf(store, slice)).entries, expected, JSON.stringify(slice));
      const read = await find(store, key, { historyLimit: 2 });
      expectEqual(read?.history, expected, 'the record');
    }
  },
  'races: a reader gets each entry once, part by part, while 50 append': async (store, second) => {
    await begin(store, key);
    let isWritten = false;
    const read: HistoryEntry[] = [];
    const readDuring = async () => {
      let position = 0;
      for (const _ of upTo(MAXIMUM_PARTS)) {
        if (isWritten) break;
        const part = await partOf(second, { after: position, limit: 3 });
        read.push(...part.entries);
        position = part.position;
      }
      return position;
    };
    const write = async () => {
      await raceOf([store, second], (each, writer) =>
        append(each, key, [`${writer} a`, `${writer} b`]),
      );
      isWritten = true;
    };
    const [position] = await Promise.all([readDuring(), write()]);
    read.push(...(await readOn(second, position, { limit: 3 })));
    const { entries: all } = await partOf(store, { limit: 1000 });
    expectEqual(read, all, 'the entries of the reader');
    expectEqual(read.length, 100, 'the number of entries');
  },
};

/** Short texts, texts that break code, and one that is longer than all others together. */
const texts = ['a', 'b', ...hostileTexts, 'x'.repeat(100_000), 'c', 'd', 'e'];

/** The last `count` items; none for 0. */
const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(Math.max(0, items.length - count));

const limits: Cases = {
  'historyLimit: find returns the latest entries, oldest first, or all if there are fewer': async (
    store,
  ) => {
    await begin(store, key, { entries: texts.slice(0, 5).map((text) => say(text)) });
    for (const text of texts.slice(5)) await append(store, key, [text]);
    const whole = await find(store);
    expectEqual(whole?.historyCount, texts.length, 'the number of entries');
    for (const historyLimit of [0, 1, 4, 10, texts.length - 1, texts.length, 10_000]) {
      const history = lastOf(texts, historyLimit).map((text) => say(text));
      const found = await find(store, key, { historyLimit });
      expectEqual(found, whole && { ...whole, history }, `with ${historyLimit}`);
    }
    for (const historyLimit of [0, 1])
      expectEqual(await find(store, keyOf('two'), { historyLimit }), undefined, 'none');
  },
  'historyLimit: page cuts each history by itself': async (store) => {
    for (const [at, count] of [0, 1, 3, 20].entries())
      await beginAt(store, `s${at}`, at, {
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
};

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
const versions: Cases = {
  'history: a record has the version and the end that the parts of its history have': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const first = await versionIn(store, second);
    await append(store, key, ['one', 'two', 'three']);
    expectEqual(await versionIn(store, second), first, 'the version after an append');
    await put(store, key, live('PAUSED'));
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
};

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

const bytes: Cases = {
  'maxBytes: a part has about this number of bytes of JSON, and all parts together have every entry once':
    async (store) => {
      const entries = await addLong(store);
      for (const maxBytes of sizes) {
        const read = await readOn(store, 0, { limit: 100, maxBytes }, (part) =>
          expectSize(part, maxBytes, part.hasMore),
        );
        expectEqual(read, entries, `the entries, ${maxBytes} bytes at a time`);
      }
    },
  'maxBytes: of the last entries, the latest are given': async (store) => {
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
  'maxBytes: a part has at least one entry, however large that is': async (store) => {
    const entries = await addLong(store);
    const few = { limit: 5, maxBytes: 1 };
    expectEqual((await partOf(store, few)).entries, entries.slice(-1), 'the last');
    const first = await partOf(store, { ...few, after: 0 });
    expectEqual(first.entries, entries.slice(0, 1), 'the first');
    const second = await partOf(store, { ...few, after: first.position });
    expectEqual([second.entries, second.hasMore], [entries.slice(1, 2), true], 'the second');
  },
  'maxBytes: a limit above the size of the history changes nothing': async (store) => {
    await addLong(store);
    for (const slice of [{ limit: 7 }, { after: 0, limit: 7 }, { after: 0, limit: 1000 }]) {
      const part = await partOf(store, { ...slice, maxBytes: 10_000_000 });
      expectEqual(part, await partOf(store, slice), 'the part');
    }
  },
};

/** Cases of the size of what is read, and of the versions of histories. */
export const historyReads: Cases = { ...limits, ...versions, ...bytes };
