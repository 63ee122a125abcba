import type { HistoryEntry, JsonValue } from '../../session/session.js';
import type { SessionKey } from '../../session/session-key.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../answers.js';
import {
  add,
  append,
  begin,
  beginAt,
  find,
  key,
  positionsOf,
  put,
  raceOf,
  remove,
  theirs,
} from '../commits.js';
import {
  addTalk,
  expectOutcome,
  MAXIMUM_PARTS,
  type Part,
  partOf,
  readBack,
  readOn,
  textsOf,
} from '../history-steps.js';
import { hostileTexts } from '../hostile-texts.js';
import { pageOf } from '../page-steps.js';
import { ended, headOf, keyOf, NOON, say, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

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

/** Appends entries one, two and three at a time, in turn. */
const addInTurn = async (store: SessionStore, all: readonly HistoryEntry[]): Promise<void> => {
  for (let from = 0, count = 1; from < all.length; from += count, count = (count % 3) + 1)
    await add(store, key, all.slice(from, from + count));
};

/** Short texts, texts that break code, and one that is longer than all others together. */
const spoken = ['a', 'b', ...hostileTexts, 'x'.repeat(100_000), 'c', 'd', 'e'].map((text) =>
  say(text),
);

const lastOf = <T>(items: readonly T[], count: number): readonly T[] =>
  items.slice(Math.max(0, items.length - count));

/** Thirty entries of about 2 kB of JSON. */
const addLong = async (store: SessionStore): Promise<readonly HistoryEntry[]> => {
  await begin(store, key);
  const long = upTo(30).map((turn) => say(`turn ${turn}: "${'x\u00E9\u20AC'.repeat(330)}"\n`));
  await addInTurn(store, long);
  return long;
};

/** The limit is approximate. A part that is cut must use most of it. */
const expectSize = ({ entries }: Part, maxBytes: number, isCut: boolean): void => {
  const bytes = new TextEncoder().encode(JSON.stringify(entries)).length;
  const what = `a part of ${bytes} bytes`;
  expectThat(bytes <= maxBytes * 1.05 + 100, `${what} has about ${maxBytes} at most`);
  expectThat(!isCut || bytes > maxBytes / 3, `${what} uses most of ${maxBytes}`);
};

const sizes = [5000, 9000, 25_000];

export const historyReads: Cases = {
  'history: a part without a position contains the latest entries, oldest first': async (store) => {
    const said = await addTalk(store);
    await put(store, key, ended('terminated'));
    const { length } = said;
    for (const limit of [1, 2, 5, length - 1, length, length + 1, 1000]) {
      const what = `the latest ${limit}`;
      const part = await partOf(store, { limit });
      expectEqual([textsOf(part.entries), part.hasMore], [said.slice(-limit), false], what);
      const next = await partOf(store, { after: part.position, limit: 10 });
      expectEqual([next.entries, next.hasMore], [[], false], `the part after ${what}`);
      const again = await partOf(store, { after: part.start, limit: 1000 });
      expectEqual(again, part, `the part after the start of ${what}`);
      const before = await partOf(store, { before: part.start, limit: 1000 });
      const { start, hasMore } = before;
      const expected = [said.slice(0, -limit), 0, true];
      expectEqual([textsOf(before.entries), start, hasMore], expected, `the part before ${what}`);
    }
  },
  'history: parts in either direction from any position contain each entry once and in order':
    async (store) => {
      const said = await addTalk(store);
      const places = [0, ...(await positionsOf(store))];
      for (const limit of [1, 2, 7, said.length, said.length + 1])
        for (const [count, position] of places.entries()) {
          const what = `${position}, ${limit} at a time`;
          const entries = await readOn(store, position, { limit });
          expectEqual(textsOf(entries), said.slice(count), `after ${what}`);
          const before = await readBack(store, position, limit);
          expectEqual(textsOf(before), said.slice(0, count), `before ${what}`);
        }
    },
  'history: a position after the end returns invalid_position': async (store) => {
    await begin(store, key);
    for (const end of [await append(store, key, ['hello']), 1e9, Number.MAX_SAFE_INTEGER - 1])
      for (const slice of [{ after: end + 1 }, { before: end + 1 }])
        await expectOutcome(store, key, slice, 'invalid_position');
  },
  'history: unknown, removed and foreign sessions are missing': async (store) => {
    const expectMissing = async (of: SessionKey) => {
      for (const slice of [{}, { after: 0 }, { before: 5 }])
        await expectOutcome(store, of, slice, 'missing');
    };
    await expectMissing(key);
    await begin(store, key, { entries: [say('hello')] });
    for (const of of [theirs, keyOf('on')]) await expectMissing(of);
    await remove(store, key);
    await expectMissing(key);
    await begin(store, key);
    const empty = await partOf(store, { limit: 1 });
    expectEqual([empty.entries, empty.start], [[], empty.position], 'those of a new session');
  },
  'history: any text, id and data is read as written, one by one and together': async (store) => {
    const options = { behavior: '\u20AC'.repeat(20_000), context: '\n{"\u20AC"},\n"op",\n' };
    await begin(store, key, { head: headOf('one', NOON, options), entries: entries.slice(0, 4) });
    await addInTurn(store, entries.slice(4));
    const { history, historyCount, historyPosition: end = 0 } = (await find(store)) ?? {};
    expectEqual([history, historyCount], [entries, entries.length], 'find');
    for (const limit of [1, 3, 40, entries.length]) {
      expectEqual(await readOn(store, 0, { limit }), entries, `${limit} at a time`);
      expectEqual(await readBack(store, end, limit), entries, `back, ${limit} at a time`);
      const latest = await partOf(store, { limit });
      expectEqual(latest.entries, entries.slice(-limit), `the latest ${limit}`);
    }
  },
  'races: a reader gets each entry once while 50 writers append': async (store, second) => {
    await begin(store, key);
    let isWritten = false;
    const read: HistoryEntry[] = [];
    const readDuring = async () => {
      let position = 0;
      for (let count = 0; count < MAXIMUM_PARTS && !isWritten; count += 1) {
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
    expectEqual([read, read.length], [all, 100], 'the entries, and their number');
  },
  'historyLimit: find returns the latest entries, oldest first': async (store) => {
    await begin(store, key, { entries: spoken.slice(0, 5) });
    for (const entry of spoken.slice(5)) await add(store, key, [entry]);
    const whole = await find(store);
    const { length } = spoken;
    expectEqual(whole?.historyCount, length, 'the number of entries');
    for (const historyLimit of [0, 1, 4, 10, length - 1, length, 10_000]) {
      const expected = whole && { ...whole, history: lastOf(spoken, historyLimit) };
      expectEqual(await find(store, key, { historyLimit }), expected, `with ${historyLimit}`);
    }
    for (const historyLimit of [0, 1])
      expectEqual(await find(store, keyOf('two'), { historyLimit }), undefined, 'none');
  },
  'historyLimit: page limits each history separately': async (store) => {
    for (const [at, count] of [0, 1, 3, 20].entries())
      await beginAt(store, `s${at}`, at, { entries: spoken.slice(0, count) });
    const whole = await pageOf(store, {});
    for (const historyLimit of [0, 1, 2, 3, 19, 20, 21]) {
      const records = whole.records.map((record) => ({
        ...record,
        history: lastOf(record.history, historyLimit),
      }));
      const page = await pageOf(store, { historyLimit });
      expectEqual(page, { ...whole, records }, `with at most ${historyLimit} of each`);
    }
  },
  'maxBytes: limits the JSON of a part, and no part loses an entry': async (store) => {
    const long = await addLong(store);
    for (const maxBytes of sizes) {
      const read = await readOn(store, 0, { limit: 100, maxBytes }, (part) =>
        expectSize(part, maxBytes, part.hasMore),
      );
      expectEqual(read, long, `the entries, ${maxBytes} bytes at a time`);
    }
  },
  'maxBytes: of the last entries, a part contains the latest': async (store) => {
    const long = await addLong(store);
    for (const maxBytes of sizes) {
      const latest = await partOf(store, { limit: 20, maxBytes });
      const before = await partOf(store, { before: latest.start, limit: 20, maxBytes });
      for (const part of [latest, before]) expectSize(part, maxBytes, true);
      expectEqual(latest.hasMore, false, 'hasMore');
      const all = [...before.entries, ...latest.entries];
      expectEqual(all, long.slice(-all.length), 'the latest entries, and those before them');
    }
  },
  'maxBytes: a part contains at least one entry, whatever its size': async (store) => {
    const long = await addLong(store);
    const few = { limit: 5, maxBytes: 1 };
    const last = await partOf(store, few);
    const first = await partOf(store, { ...few, after: 0 });
    const second = await partOf(store, { ...few, after: first.position });
    const found = [last, first, second].map((part) => part.entries);
    const expected = [long.slice(-1), long.slice(0, 1), long.slice(1, 2)];
    expectEqual(found, expected, 'the last, the first and the second');
    expectEqual(second.hasMore, true, 'hasMore');
    const enough = await partOf(store, { limit: 7, maxBytes: 10_000_000 });
    expectEqual(enough, await partOf(store, { limit: 7 }), 'with a limit above its size');
  },
};
