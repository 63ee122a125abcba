import { err, ok, ResultAsync } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { HandlerResponse, SessionHandlerOptions } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import { revoked, throwing } from '../support/hostile-values.js';
import { changed } from '../support/store-doubles.js';
import { timersLeftBy } from '../support/timers-left-by.js';
import { handlerWith, operations, seen } from './handler-harness.js';

const SECRET = 'redis://user:password@10.0.0.1';

const throws = (): never => {
  throw new Error(SECRET);
};

/** What a store's method may do that breaks the contract. */
const misdeeds: Readonly<Record<string, () => unknown>> = {
  throws,
  rejects: () => Promise.reject(new Error(SECRET)),
  'gives a result that rejects': () => new ResultAsync(Promise.reject(new Error(SECRET))),
  'gives undefined': () => undefined,
  'gives a number': () => 5,
  'gives an object': () => ({}),
  'gives what throws': throwing,
  'gives a revoked proxy': revoked,
  'gives null for a success': () => ok(null),
  'gives a text for a success': () => ok('nonsense'),
  'gives an empty object for a success': () => ok({}),
  'gives half a record': () => ok({ head: null, state: null, history: null }),
  'gives a page of nothing': () => ok({ records: [null], total: 1, unreadable: [] }),
  'gives a page without a total': () => ok({ records: [], unreadable: [] }),
  'gives a page whose total is a text': () => ok({ records: [], total: 'many', unreadable: [] }),
  'gives a page whose total is no number': () =>
    ok({ records: [], total: Number.NaN, unreadable: [] }),
  'gives a page whose unreadable ids are none': () =>
    ok({ records: [], total: 0, unreadable: null }),
  'gives no error for an error': () => err(undefined),
  'gives an error of no known type': () => err({ type: 'nonsense', message: SECRET }),
};

const serviceWith = (misdeed: () => unknown): SessionService => {
  const methods = { begin: misdeed, find: misdeed, findState: misdeed, page: misdeed };
  return new SessionService({
    store: changed(new MemorySessionStore(), Object.fromEntries(Object.entries(methods))),
  });
};

const textOf = (response: HandlerResponse | undefined): string => JSON.stringify(response);

describe('a store that breaks its contract', () => {
  const cases = Object.keys(misdeeds).flatMap((kind) =>
    operations.map(([name, request]) => [name, kind, request] as const),
  );

  test.for(cases)('answers %s with 503 if it %s', async ([, kind, request]) => {
    const { handler, told } = handlerWith({ sessions: serviceWith(misdeeds[kind] ?? throws) });
    const response = await handler(request);
    expect(seen(response)).toEqual([503, 'store_unavailable']);
    expect(response?.headers).toHaveProperty('Retry-After', '1');
    expect(textOf(response)).not.toContain(SECRET);
    expect(told).toHaveLength(1);
  });
});

describe('a store that returns an error', () => {
  test.for(operations)(
    "answers 503 without revealing the error's message: %s",
    async ([, request]) => {
      const error = storeUnavailable(SECRET, 'unknown', new Error(SECRET));
      const { handler, told } = handlerWith({ sessions: serviceWith(() => err(error)) });
      const response = await handler(request);
      expect(seen(response)).toEqual([503, 'store_unavailable']);
      expect(textOf(response)).not.toContain(SECRET);
      expect(told).toEqual([error]);
    },
  );

  test.for(operations)(
    "answers 500 for a damaged record without revealing the error's message: %s",
    async ([, request]) => {
      const error = corruptRecord('x', SECRET);
      const { handler, told } = handlerWith({ sessions: serviceWith(() => err(error)) });
      const response = await handler(request);
      expect(seen(response)).toEqual([500, 'corrupt_record']);
      expect(textOf(response)).not.toContain(SECRET);
      expect(told).toEqual([error]);
    },
  );
});

describe('a store that never answers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const answersAfter = async (
    options: Partial<SessionHandlerOptions<SessionService>>,
    ms: number,
  ) => {
    const { handler } = handlerWith(options);
    const never = vi.fn();
    const answers = operations.map(([, request]) => handler(request).finally(never));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(never).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    return (await Promise.all(answers)).map(seen);
  };

  const unavailable = operations.map(() => [503, 'store_unavailable']);

  test('leads to a 503 after ten seconds', async () => {
    const sessions = serviceWith(() => new Promise(() => undefined));
    expect(await answersAfter({ sessions }, 10_000)).toEqual(unavailable);
  });

  test("leads to a 503 after the host's timeoutMs", async () => {
    const sessions = serviceWith(() => new Promise(() => undefined));
    expect(await answersAfter({ sessions, timeoutMs: 50 }, 50)).toEqual(unavailable);
  });

  test('may reject after the timeout without an unhandled rejection', async () => {
    const sessions = serviceWith(
      () => new Promise((_, reject) => setTimeout(reject, 100, new Error(SECRET))),
    );
    expect(await answersAfter({ sessions, timeoutMs: 50 }, 50)).toEqual(unavailable);
    await vi.advanceTimersByTimeAsync(100);
  });

  test('leaves no timer behind if it answers in time', async () => {
    const { handler } = handlerWith();
    expect(
      await timersLeftBy(() => Promise.all(operations.map(([, request]) => handler(request)))),
    ).toBe(0);
  });
});
