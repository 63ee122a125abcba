import type { SessionRecord } from '../../session/session-record.js';
import type { Admit, SessionStore } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { headOf, keyOf, NOON, TENANT, upTo } from '../samples.js';
import { answerOf, append, insertActive } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('s0');

/** The error of a caller that refuses, which may be any value. */
interface Refusal {
  readonly type: 'too_large_for_me';
}

const refusal: Refusal = { type: 'too_large_for_me' };

/** An `admit` that accepts every size and records its arguments. */
const admitting = () => {
  const asked: { readonly bytes: number; readonly sessions: number }[] = [];
  const admit: Admit<never> = (bytes, sessions) => {
    asked.push({ bytes, sessions });
    return undefined;
  };
  const largest = () => Math.max(...asked.map(({ bytes }) => bytes));
  return { admit, asked, largest };
};

const jsonBytes = (records: readonly (SessionRecord | undefined)[]): number =>
  new TextEncoder().encode(JSON.stringify(records.map((record) => [record?.head, record?.history]))).length;

/** Three sessions of about 40, 80 and 120 kB. Newest first they are s2, s1, s0. */
const insertLarge = async (store: SessionStore): Promise<void> => {
  for (const at of upTo(3)) {
    const each = keyOf(`s${at}`);
    await insertActive(store, each, headOf(each.id, NOON + at, { behavior: 'a "tutor"\n'.repeat(400) }));
    const contents = upTo(16 * (at + 1)).map((turn) => `turn ${turn}: "${'hello '.repeat(330)}"\n`);
    await append(store, each, contents.slice(1));
    await append(store, each, contents.slice(0, 1), 'op');
  }
};

/**
 * Maximum size that a store may report: it may count stored bytes, which encryption increases, and the state of each
 * session.
 */
const byteLimit = (bytes: number, sessions: number): number => bytes * 3 + sessions * 500;

const expectAsked = (asked: readonly { bytes: number; sessions: number }[], records: readonly SessionRecord[]) => {
  const bytes = jsonBytes(records);
  expectEqual(asked.length, 1, 'how often admit is asked');
  expectEqual(asked[0]?.sessions, records.length, 'sessions');
  const actual = asked[0]?.bytes ?? 0;
  expectThat(actual >= bytes, `${actual}, which admit is asked with, is at least the size of the JSON, ${bytes}`);
  const most = byteLimit(bytes, records.length);
  expectThat(actual <= most, `${actual}, which admit is asked with, is about the size of the JSON, ${bytes}`);
};

export const admission: readonly StoreCase[] = [
  {
    name: 'admit: find asks once, with the size of the JSON of the session',
    run: async (store) => {
      await insertLarge(store);
      for (const at of upTo(3)) {
        const { admit, asked } = admitting();
        const found = await answerOf(store.find(keyOf(`s${at}`), {}, admit));
        expectEqual(found, await answerOf(store.find(keyOf(`s${at}`))), 'the record');
        expectAsked(asked, found === undefined ? [] : [found]);
      }
    },
  },
  {
    name: 'admit: list asks once, with the size of the JSON of the sessions on the page',
    run: async (store) => {
      await insertLarge(store);
      for (const [offset, limit] of [
        [0, 10],
        [0, 1],
        [1, 2],
        [2, 1],
      ] as const) {
        const { admit, asked } = admitting();
        const page = await answerOf(store.list(TENANT, { offset, limit }, admit));
        expectEqual(page, await answerOf(store.list(TENANT, { offset, limit })), 'the page');
        expectAsked(asked, page.records);
      }
    },
  },
  {
    name: 'admit: find and list return its refusal unchanged, and do not ask it again',
    run: async (store) => {
      await insertLarge(store);
      let asked = 0;
      const admit: Admit<Refusal> = () => {
        asked += 1;
        return refusal;
      };
      const reads = [
        () => store.find(key, {}, admit),
        () => store.find(key, { historyLimit: 2 }, admit),
        () => store.list(TENANT, { offset: 0, limit: 10 }, admit),
        () => store.list(TENANT, { offset: 0, limit: 10, historyLimit: 2 }, admit),
      ];
      for (const [at, read] of reads.entries()) {
        const answer = await read();
        expectThat(answer.isErr(), `read ${at} answers an error`);
        expectThat(answer.isErr() && answer.error === refusal, `read ${at} answers the very error that admit gave`);
        expectEqual(asked, at + 1, 'how often admit was asked');
      }
    },
  },
  {
    name: 'admit: with historyLimit it gets the size of what is read, not of the whole history',
    run: async (store) => {
      await insertLarge(store);
      const { records } = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
      for (const historyLimit of [0, 1, 3]) {
        const { admit, asked, largest } = admitting();
        const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10, historyLimit }, admit));
        const bytes = jsonBytes(page.records);
        expectThat(largest() >= bytes, `${largest()}, which admit is asked with, is at least ${bytes}`);
        const all = jsonBytes(records);
        expectThat(largest() < all / 2, `${largest()}, which admit is asked with, is less than half of all ${all}`);
        expectEqual([...new Set(asked.map(({ sessions }) => sessions))], [3], 'sessions');
      }
    },
  },
];
