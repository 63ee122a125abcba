import type { SearchTooLarge, StoreError, TooLarge } from '../../session/errors.js';
import type { SessionRecord } from '../../session/session-record.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { headOf, keyOf, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, append, errorOf, insertActive } from '../steps.js';
import type { StoreCase } from '../store-case.js';
import type { Answer, PageRange, TodaysStore } from '../todays-store.js';

const jsonBytes = (records: readonly SessionRecord[]): number =>
  new TextEncoder().encode(JSON.stringify(records.map(({ head, history }) => [head, history])))
    .length;

/** Three sessions of about 40, 80 and 120 kB. Newest first they are s2, s1, s0. */
const insertLarge = async (store: TodaysStore): Promise<void> => {
  for (const at of upTo(3)) {
    const each = keyOf(`s${at}`);
    await insertActive(
      store,
      each,
      headOf(each.id, NOON + at, { behavior: 'a "tutor"\n'.repeat(400) }),
    );
    const contents = upTo(16 * (at + 1)).map((turn) => `turn ${turn}: "${'hello '.repeat(330)}"\n`);
    await append(store, each, contents.slice(1));
    await append(store, each, contents.slice(0, 1), 'op');
  }
};

/**
 * Maximum size that a store may report: it may count stored bytes, which encryption increases, and
 * the state of each session.
 */
const byteLimit = (bytes: number, sessions: number): number => bytes * 3 + sessions * 500;

type ReadFailure = StoreError | TooLarge | SearchTooLarge;

const tooLargeIn = (error: ReadFailure): TooLarge => {
  if (error.type === 'too_large') return error;
  throw new Error(`the store answered ${error.type} instead of too_large`);
};

const tooLargeOf = async (answer: Answer<unknown, ReadFailure>): Promise<TooLarge> =>
  tooLargeIn(await errorOf(answer));

const expectSize = ({ bytes, sessions }: TooLarge, records: readonly SessionRecord[]): void => {
  expectEqual(sessions, records.length, 'the sessions of too_large');
  const least = jsonBytes(records);
  expectThat(
    bytes >= least,
    `${bytes}, the bytes of too_large, are at least the size of the JSON, ${least}`,
  );
  const most = byteLimit(least, sessions);
  expectThat(
    bytes <= most,
    `${bytes}, the bytes of too_large, are about the size of the JSON, ${least}`,
  );
};

/**
 * Reads a page with a maximum that is raised to what the store reports, until the page is not too
 * large.
 */
const readRaised = async (store: TodaysStore, range: PageRange) => {
  let maxBytes = 1;
  for (const _ of upTo(10)) {
    const answer = await store.list(TENANT, { ...range, maxBytes });
    if (answer.isOk()) return { page: answer.value, maxBytes };
    const { bytes } = tooLargeIn(answer.error);
    expectThat(
      bytes > maxBytes,
      `${bytes}, the bytes of too_large, are more than the maximum, ${maxBytes}`,
    );
    maxBytes = bytes;
  }
  throw new Error('the page is too_large although the maximum was raised ten times');
};

/** Cases of `maxBytes` in the reads of whole sessions. */
export const readSizes: readonly StoreCase[] = [
  {
    name: 'too_large: find reads a session of maxBytes, and returns the size of the JSON of a larger one',
    run: async (store) => {
      await insertLarge(store);
      for (const at of upTo(3)) {
        const key = keyOf(`s${at}`);
        const whole = await answerOf(store.find(key));
        const refused = await tooLargeOf(store.find(key, { maxBytes: 1 }));
        expectSize(refused, whole === undefined ? [] : [whole]);
        const { bytes } = refused;
        expectEqual(await answerOf(store.find(key, { maxBytes: bytes })), whole, 'the record');
        const again = await tooLargeOf(store.find(key, { maxBytes: bytes - 1 }));
        expectEqual(again.bytes, bytes, 'the bytes of too_large');
      }
    },
  },
  {
    name: 'too_large: list reads sessions of maxBytes together, and returns the size of the JSON of larger ones',
    run: async (store) => {
      await insertLarge(store);
      for (const [offset, limit] of [
        [0, 10],
        [0, 1],
        [1, 2],
        [2, 1],
      ] as const) {
        const range = { offset, limit };
        const whole = await answerOf(store.list(TENANT, range));
        const refused = await tooLargeOf(store.list(TENANT, { ...range, maxBytes: 1 }));
        expectSize(refused, whole.records);
        const { bytes } = refused;
        expectEqual(
          await answerOf(store.list(TENANT, { ...range, maxBytes: bytes })),
          whole,
          'the page',
        );
        const again = await tooLargeOf(store.list(TENANT, { ...range, maxBytes: bytes - 1 }));
        expectEqual(again.bytes, bytes, 'the bytes of too_large');
      }
    },
  },
  {
    name: 'too_large: what does not exist is not too large',
    run: async (store) => {
      await insertLarge(store);
      expectEqual(
        await answerOf(store.find(keyOf('s9'), { maxBytes: 1 })),
        undefined,
        'the record',
      );
      const past = await answerOf(store.list(TENANT, { offset: 3, limit: 10, maxBytes: 1 }));
      expectEqual([past.records, past.total], [[], 3], 'the page past the end');
      const none = await answerOf(store.list('nobody', { offset: 0, limit: 10, maxBytes: 1 }));
      expectEqual(none.records, [], 'the page of another tenant');
    },
  },
  {
    name: 'too_large: with historyLimit the size is that of what is read, not of the whole history',
    run: async (store) => {
      await insertLarge(store);
      const { records } = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      const all = jsonBytes(records);
      for (const historyLimit of [0, 1, 3]) {
        const range = { offset: 0, limit: 10, historyLimit };
        const { page, maxBytes } = await readRaised(store, range);
        expectEqual(page, await answerOf(store.list(TENANT, range)), 'the page');
        const bytes = jsonBytes(page.records);
        expectThat(maxBytes >= bytes, `${maxBytes}, the bytes of too_large, are at least ${bytes}`);
        expectThat(
          maxBytes < all / 2,
          `${maxBytes}, the bytes of too_large, are less than half of all ${all}`,
        );
        const one = await tooLargeOf(store.find(keyOf('s2'), { historyLimit, maxBytes: 1 }));
        expectThat(
          one.bytes < all / 2,
          `${one.bytes}, the bytes of one session, are less than half of all ${all}`,
        );
      }
    },
  },
];
