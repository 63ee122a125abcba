import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  err,
  errAsync,
  httpStatusOf,
  type OperationErrors,
  ok,
  okAsync,
  type Result,
  type ResultAsync,
  type SessionError,
  SessionFailure,
  unwrap,
} from '../../src/index.js';
import { openSessions } from '../support/sessions.js';

const thrownBy = async (call: () => unknown): Promise<unknown> => {
  try {
    return await call();
  } catch (thrown) {
    return thrown;
  }
};

describe('unwrap', () => {
  test('returns the value of a Result, and a promise of the value of a ResultAsync', async () => {
    expect(unwrap(ok(1))).toBe(1);
    const promised = unwrap(okAsync(2));
    expect(promised).toBeInstanceOf(Promise);
    expect(await promised).toBe(2);
    expect(await unwrap(Promise.resolve(ok(3)))).toBe(3);
  });

  test('throws the error as a SessionFailure', async () => {
    const error = { type: 'conflict', message: 'others were faster' } as const;
    for (const call of [() => unwrap(err(error)), () => unwrap(errAsync(error))]) {
      const thrown = await thrownBy(call);
      expect(thrown).toBeInstanceOf(SessionFailure);
      expect(thrown).toBeInstanceOf(Error);
      expect(thrown).toMatchObject({ name: 'SessionFailure', type: 'conflict' });
      expect(Object(thrown).message).toBe(
        'conflict: others were faster (read the session and try again)',
      );
      expect(Object(thrown).error).toBe(error);
    }
  });

  test('accepts your own results, with an error of any kind', async () => {
    const parsed = (text: string): Result<number, { readonly type: 'negative' }> =>
      Number(text) < 0 ? err({ type: 'negative' }) : ok(Number(text));
    expect(unwrap(parsed('3'))).toBe(3);
    const noDisk = new Error('no disk');
    const causes: unknown[] = [];
    for (const result of [parsed('-3'), err('too late'), err(noDisk), err(undefined)]) {
      const thrown = await thrownBy(() => unwrap<unknown, unknown>(result));
      expect(thrown).toBeInstanceOf(Error);
      causes.push(thrown === noDisk ? 'itself' : Object(thrown).cause);
    }
    expect(causes).toEqual([{ type: 'negative' }, 'too late', 'itself', undefined]);
  });

  test('returns the session of an operation, or throws an error with its HTTP status', async () => {
    const { sessions } = openSessions();
    const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
    expect(await unwrap(sessions.start(id))).toMatchObject({ id, status: 'ACTIVE' });
    const statuses: unknown[] = [];
    const calls: ResultAsync<unknown, SessionError>[] = [
      sessions.start(id),
      sessions.get('nobody'),
      sessions.get(''),
    ];
    for (const call of calls) {
      const thrown = await thrownBy(() => unwrap(call));
      statuses.push(thrown instanceof SessionFailure && httpStatusOf(thrown.error));
    }
    expect(statuses).toEqual([409, 404, 400]);
  });

  test('returns the sessions of an iteration', async () => {
    const { sessions } = openSessions();
    const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
    for await (const session of sessions.each()) expect(unwrap(session).id).toBe(id);
  });
});

test('httpStatusOf has the type of the statuses that the error may have', () => {
  const statusOfLease = (error: OperationErrors['lease']) => httpStatusOf(error);
  expectTypeOf(statusOfLease).returns.toEqualTypeOf<400 | 404 | 409 | 500 | 503>();
  const statusOfList = (error: OperationErrors['list']) => httpStatusOf(error);
  expectTypeOf(statusOfList).returns.toEqualTypeOf<400 | 422 | 500 | 503>();
  const statusOfAny = (error: SessionError) => httpStatusOf(error);
  expectTypeOf(statusOfAny).returns.toEqualTypeOf<
    400 | 404 | 409 | 412 | 422 | 429 | 500 | 503 | 504
  >();
  expectTypeOf(httpStatusOf({ type: 'callback_failed' })).toEqualTypeOf<500>();
});

test('httpStatusOf treats an unknown error as a store error', () => {
  expect(httpStatusOf(JSON.parse('{"type":"burnt"}'))).toBe(503);
});

test("httpStatusOf accepts every error of withLease, including its function's", async () => {
  const { sessions } = openSessions();
  const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
  const statuses: number[] = [];
  for (const each of [id, 'nobody']) {
    const used = await sessions.withLease(each, { holder: 'worker', seconds: 1 }, () => {
      throw new Error('no voice');
    });
    if (used.isErr()) statuses.push(httpStatusOf(used.error));
  }
  expect(statuses).toEqual([500, 404]);
});
