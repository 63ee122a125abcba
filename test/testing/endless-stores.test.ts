import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { withEntries } from './faulty-store.js';
import { eventsWith, memoryStoreWith } from './planted-bug.js';
import { runContract } from './run-contract.js';

/** The cases that the store could keep from ending; all in a long run. */
const run = (topic: string, makeStore: () => SessionStore) =>
  runContract(moreIfLong(topic, ''), makeStore);

const never = () => new Promise<never>(() => undefined);

describe('the contract comes to an end on a store that', () => {
  test('loses every append', async () => {
    const { failed } = await run('races:', () =>
      memoryStoreWith((inner) => ({
        use: (commit) => inner.change(withEntries(commit, () => [])),
      })),
    );
    const all = 'races: 50 appends are all stored completely, in the order of their positions';
    expect(failed.get(all)).toMatch(/^the history\[0\] is undefined where /);
  });

  test('reads immediately but appends later, and is sound', async () => {
    const later = () => new Promise((resolve) => setImmediate(resolve));
    const { failed } = await run('races:', () =>
      memoryStoreWith((inner) => ({
        use: async (commit) => {
          await later();
          return inner.change(commit);
        },
      })),
    );
    expect([...failed]).toEqual([]);
  });

  test('always has more entries', async () => {
    const entry = { role: 'user', content: 'again', timestamp: '2026-01-31T12:00:00.000Z' };
    const { failed } = await run('history:', () =>
      memoryStoreWith(() => ({
        entries: (_, slice) =>
          ok({
            outcome: 'found',
            entries: [{ ...entry, position: (slice.after ?? 0) + 1 }],
            start: 0,
            position: (slice.after ?? 0) + 1,
            hasMore: true,
            isSuperseded: false,
            version: '1',
          }),
      })),
    );
    const partByPart =
      'history: parts in either direction from any position contain each entry once and in order';
    expect(failed.get(partByPart)).toBe(
      'gave up after 1000 steps while waiting for: a part without hasMore',
    );
  });

  test('always has another page', async () => {
    const { failed } = await run('page:', () =>
      memoryStoreWith((inner) => ({
        page: (...args) =>
          inner.page(...args).map((page) => {
            const last = page.records.at(-1)?.head;
            return {
              ...page,
              nextCursor: {
                id: last?.id ?? 'a',
                at: last?.createdAt ?? '2026-01-31T12:00:00.000Z',
              },
            };
          }),
      })),
    );
    const walk =
      'page: sorts by creation time, then by id, in both orders, by offset and by cursor';
    expect(failed.get(walk)).toBe(
      'gave up after 100 steps while waiting for: a page without nextCursor',
    );
  });

  test('always has more events', async () => {
    const { failed } = await run('events:', () =>
      memoryStoreWith((inner) => ({
        events: eventsWith(inner, (events) => ({
          read: (stream, position, limit) =>
            events.read(stream, limit === 2 ? '0' : position, limit),
        })),
      })),
    );
    const pageByPage = 'events: a reader continues after any position, page by page';
    expect(failed.get(pageByPage)).toBe(
      'gave up after 21 steps while waiting for: a page without events',
    );
  });

  test('never answers, and names the call', async () => {
    const { names, failed } = await runContract(
      '',
      () =>
        memoryStoreWith(() => ({
          begin: never,
          change: never,
          remove: never,
          take: never,
          find: never,
          findState: never,
          entries: never,
          page: never,
          due: never,
          countWaiting: never,
          reportsEnds: never,
          events: { streamOf: () => '', latest: never, now: never, read: never, repeat: never },
        })),
      { timeoutMs: 20 },
    );
    expect([...failed.keys()].toSorted()).toEqual(names.toSorted());
    const messages = new Set(failed.values());
    expect(messages).toContain('begin() has not answered within 20 ms');
    expect(messages).toContain('events.latest() has not answered within 20 ms');
    expect(
      [...messages].every((message) => message.endsWith(' has not answered within 20 ms')),
    ).toBe(true);
  });
});
