import type { SearchTooLarge, StoreError, TooLarge } from '../../session/errors.js';
import type { SessionKey } from '../../session/session-key.js';
import type { SessionRecord } from '../../session/session-record.js';
import type { Answer, PageRange, SessionStore } from '../../store/session-store.js';
import { answerOf, errorOf, expectEqual, expectThat } from '../answers.js';
import { append, begin, find, key, made } from '../commits.js';
import { messageOf, sendOf, take } from '../inbox-steps.js';
import { pageOf } from '../page-steps.js';
import { headOf, keyOf, live, NOON, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

const jsonBytes = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).length;

const bytesOf = (records: readonly SessionRecord[]): number =>
  jsonBytes(records.map(({ head, history }) => [head, history]));

/** Three sessions of about 40, 80 and 120 kB. Newest first they are s2, s1, s0. */
const addLarge = async (store: SessionStore): Promise<void> => {
  for (const at of upTo(3)) {
    const of = keyOf(`s${at}`);
    const behavior = 'a "tutor"\n'.repeat(400);
    await begin(store, of, { head: headOf(of.id, NOON + at, { behavior }) });
    const contents = upTo(16 * (at + 1)).map((turn) => `turn ${turn}: "${'hello '.repeat(330)}"\n`);
    await append(store, of, contents.slice(1));
    await append(store, of, contents.slice(0, 1));
  }
};

type ReadFailure = StoreError | TooLarge | SearchTooLarge;

const tooLargeOf = async (answer: Answer<unknown, ReadFailure>): Promise<TooLarge> => {
  const error = await errorOf(answer);
  if (error.type === 'too_large') return error;
  throw new Error(`the store returned ${error.type} instead of too_large`);
};

/**
 * Fails unless a read is too large for one byte less than the store reports, which is about the
 * size of the JSON. A store may count stored bytes, which encryption increases, and the states.
 */
const expectSize = async <T>(
  read: (maxBytes?: number) => Answer<T, ReadFailure>,
  recordsOf: (value: T) => readonly SessionRecord[],
): Promise<void> => {
  const all = await answerOf(read());
  const { bytes, sessions } = await tooLargeOf(read(1));
  const records = recordsOf(all);
  expectEqual(sessions, records.length, 'the sessions of too_large');
  const least = bytesOf(records);
  const most = least * 3 + sessions * 500;
  const isAbout = bytes >= least && bytes <= most;
  expectThat(isAbout, `${bytes}, the bytes of too_large, are from ${least} to ${most}`);
  expectEqual(await answerOf(read(bytes)), all, 'a read of as many bytes');
  expectEqual((await tooLargeOf(read(bytes - 1))).bytes, bytes, 'the bytes of too_large again');
};

const expectSizeOf = (store: SessionStore, of: SessionKey, historyLimit?: number): Promise<void> =>
  expectSize(
    (maxBytes) => store.find(of, { maxBytes, historyLimit }),
    (record) => (record === undefined ? [] : [record]),
  );

const expectSizeOfPage = (store: SessionStore, range: PageRange): Promise<void> =>
  expectSize(
    (maxBytes) => store.page(TENANT, { ...range, maxBytes }),
    ({ records }) => records,
  );

export const readSizes: Cases = {
  'too_large: find and page report about the JSON size above maxBytes': async (store) => {
    await addLarge(store);
    for (const at of upTo(3)) await expectSizeOf(store, keyOf(`s${at}`));
    for (const [offset, limit] of [
      [0, 10],
      [0, 1],
      [1, 2],
      [2, 1],
    ] as const)
      await expectSizeOfPage(store, { offset, limit });
  },
  'too_large: missing sessions and empty pages are never too large': async (store) => {
    await addLarge(store);
    const size = { maxBytes: 1 };
    expectEqual(await find(store, keyOf('s9'), size), undefined, 'the record');
    const past = await pageOf(store, { offset: 3, ...size });
    expectEqual([past.records, past.total], [[], 3], 'the page past the end');
    expectEqual((await pageOf(store, size, 'nobody')).records, [], 'the page of another tenant');
  },
  'too_large: with historyLimit, only the entries that are read count': async (store) => {
    await addLarge(store);
    for (const historyLimit of [0, 1, 3]) {
      await expectSizeOf(store, keyOf('s2'), historyLimit);
      await expectSizeOfPage(store, { offset: 0, limit: 10, historyLimit });
    }
  },
  'too_large: messages count towards the size of a read once they are taken': async (store) => {
    await begin(store, key);
    const bytes = 100_000;
    await made(store, sendOf(messageOf('m', 'x'.repeat(bytes))));
    const size = { maxBytes: bytes };
    await find(store, key, size);
    expectEqual((await pageOf(store, size)).records.length, 1, 'the sessions of a page');
    await take(store, 1);
    await expectSizeOf(store, key);
  },
  'too_large: metadata counts towards the size of a read': async (store) => {
    const metadata = { text: '\u20ac"\n'.repeat(2000) };
    await begin(store, key, { state: live('IDLE', { metadata }) });
    const size = { historyLimit: 0, maxBytes: jsonBytes(metadata) };
    await tooLargeOf(store.find(key, size));
    await tooLargeOf(store.page(TENANT, { offset: 0, limit: 1, ...size }));
  },
};
