import { describe, expect, test } from 'vitest';
import {
  err,
  errAsync,
  httpStatusOf,
  ok,
  okAsync,
  type ResultAsync,
  type SessionError,
  UnwrapError,
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
  test('gives the value of a result, and a promise of that of a ResultAsync', async () => {
    expect(unwrap(ok(1))).toBe(1);
    const promised = unwrap(okAsync(2));
    expect(promised).toBeInstanceOf(Promise);
    expect(await promised).toBe(2);
    expect(await unwrap(Promise.resolve(ok(3)))).toBe(3);
  });

  test('throws the error as the cause of an UnwrapError', async () => {
    const error = { type: 'conflict', message: 'others were faster' } as const;
    for (const call of [() => unwrap(err(error)), () => unwrap(errAsync(error))]) {
      const thrown = await thrownBy(call);
      expect(thrown).toBeInstanceOf(UnwrapError);
      expect(thrown).toBeInstanceOf(Error);
      expect(thrown).toMatchObject({ name: 'UnwrapError', message: 'conflict: others were faster' });
      expect(Object(thrown).cause).toBe(error);
    }
  });

  test('of an operation gives a session, or an error with its HTTP status', async () => {
    const { sessions } = openSessions();
    const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
    expect(await unwrap(sessions.start(id))).toMatchObject({ id, status: 'ACTIVE' });
    const statuses: unknown[] = [];
    const calls: ResultAsync<unknown, SessionError>[] = [sessions.start(id), sessions.get('nobody'), sessions.get('')];
    for (const call of calls) {
      const thrown = await thrownBy(() => unwrap(call));
      statuses.push(thrown instanceof UnwrapError && httpStatusOf(thrown.cause));
    }
    expect(statuses).toEqual([409, 404, 400]);
  });

  test('of the items of an iteration gives sessions', async () => {
    const { sessions } = openSessions();
    const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
    for await (const session of sessions.each()) expect(unwrap(session).id).toBe(id);
  });
});

test('httpStatusOf takes an error that it does not know for one of the store', () => {
  expect(httpStatusOf(JSON.parse('{"type":"burnt"}'))).toBe(503);
});
