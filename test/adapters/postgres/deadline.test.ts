import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { appendOf } from '../../../src/testing/commits.js';
import { keyOf, NOON, upTo } from '../../../src/testing/samples.js';

const TIMEOUT_MS = 1000;
const key = { tenant: 'acme', id: 'one' };
const hello = appendOf(key, ['hello']);

const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** A pool whose statements are answered by `query`. */
const poolOf = (query: Query, hasEvents: boolean): PostgresPool => ({
  connect: async () => ({
    query: async (text, values) => {
      if (text.includes('.meta'))
        return { rows: [{ name: 'events', value: hasEvents ? '100' : '0' }] };
      if (values === undefined) return { rows: [] };
      return query(text, values);
    },
    release: () => undefined,
  }),
});

/** What a call has answered at its timeout. */
const atTimeout = async <T>(call: PromiseLike<T>): Promise<T | 'still waiting'> => {
  let answer: T | 'still waiting' = 'still waiting';
  void call.then((result) => {
    answer = result;
  });
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
  return answer;
};

const refused = (code: string) =>
  Object.assign(new Error('from the server'), { code, severity: 'ERROR' });

describe('timeoutMs of a PostgreSQL store', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const storeOn = (query: Query, events = false) =>
    new PostgresSessionStore({
      pool: poolOf(query, events),
      timeoutMs: TIMEOUT_MS,
      events: events && { listen: false },
    });

  it('bounds a write, however often it conflicts with other transactions', async () => {
    const store = storeOn(async () => {
      await pass(400);
      throw refused('40001');
    });
    expect(await atTimeout(store.change(hello))).toMatchObject({
      error: { type: 'store_unavailable' },
    });
  });

  it('bounds a read that loses its connection late', async () => {
    let asked = 0;
    const store = storeOn(async () => {
      asked += 1;
      if (asked > 1) return new Promise(() => undefined);
      await pass(800);
      throw new Error('Connection terminated unexpectedly');
    });
    expect(await atTimeout(store.find(key))).toMatchObject({ error: { outcome: 'not_applied' } });
    expect(asked).toBe(2);
  });

  it('bounds a read of several statements', async () => {
    const due = Array.from({ length: 3 }, (_, at) => ({
      tenant: `t${at}`,
      id: 'one',
      due_at: NOON,
      first_due: NOON,
    }));
    const store = storeOn(async () => {
      await pass(600);
      return { rows: due };
    });
    expect(await atTimeout(store.due(NOON, 2))).toMatchObject({
      error: { outcome: 'not_applied' },
    });
  });

  it('is enforced by the server too, whose refusal arrives before the call ends', async () => {
    const bounds: number[] = [];
    const store = storeOn(async (_, [boundMs]) => {
      bounds.push(Number(boundMs));
      await pass(Number(boundMs));
      throw refused('57014');
    });
    for (const call of [() => store.change(hello), () => store.find(key)]) {
      expect(await atTimeout<unknown>(call())).toMatchObject({
        error: { outcome: 'not_applied', message: 'the server has cancelled the call' },
      });
    }
    expect(bounds).toEqual([950, 950]);
  });

  it('bounds a group by the deadline of its earliest call, and the other calls are applied afterwards', async () => {
    const answer = { rows: [{ results: [{ refusal: 'present' }] }] };
    const groups: (readonly [boundMs: number, calls: number])[] = [];
    const store = storeOn(async (_, [boundMs, changes]) => {
      const ids = JSON.parse(String(changes)).map(({ id }: { readonly id: string }) => id);
      if (String(ids[0]).startsWith('busy')) {
        await pass(500);
        return answer;
      }
      groups.push([Number(boundMs), ids.length]);
      if (ids.length === 1) return answer;
      await pass(Number(boundMs));
      throw refused('57014');
    });
    const append = (id: string) => store.change(appendOf(keyOf(id), ['hello']));
    for (const at of upTo(4)) {
      void append(`busy-${at}`);
      await vi.advanceTimersByTimeAsync(0);
    }
    const early = append('early');
    await vi.advanceTimersByTimeAsync(400);
    const later = append('later');
    expect(await atTimeout(Promise.all([early, later]))).toMatchObject([
      { error: { outcome: 'not_applied' } },
      { value: { outcome: 'refused', guard: 'present' } },
    ]);
    expect(groups).toEqual([
      [450, 2],
      [400, 1],
    ]);
  });

  it('never fails a committed change, even if its event cannot be published', async () => {
    const store = storeOn(async (text) => {
      if (text.includes('publish')) return new Promise(() => undefined);
      return { rows: [{ results: [{ refusal: null, end_position: 1 }] }] };
    }, true);
    expect((await store.change(hello))._unsafeUnwrap()).toMatchObject({
      outcome: 'made',
      position: 1,
    });
  });

  it('bounds a read of the log during which an event cannot be published', async () => {
    const store = storeOn(async (text) => {
      if (text.includes('publish')) return new Promise(() => undefined);
      return { rows: [{ is_late: true }] };
    }, true);
    expect(await atTimeout(Promise.resolve(store.events?.latest('')))).toMatchObject({
      error: { outcome: 'not_applied' },
    });
  });
});
