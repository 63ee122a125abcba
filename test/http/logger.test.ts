import type { Logger as Pino } from 'pino';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  createSessionHandler,
  type HandlerRequest,
  type Logger,
  type SessionHandlerOptions,
} from '../../src/http/index.js';
import { openSessions } from '../support/sessions.js';

const request = (url: string): HandlerRequest => ({
  method: 'GET',
  url,
  prefix: '',
  header: (name) => (name === 'x-api-key' ? 'a-secret-key' : undefined),
  body: async () => ({ outcome: 'lost' }),
});

const openHandler = (
  authenticate: SessionHandlerOptions['authenticate'],
  error: () => unknown = () => undefined,
) => {
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn(error) };
  const handle = createSessionHandler({ sessions: openSessions().sessions, authenticate, logger });
  return { handle, logger };
};

const broken = () => {
  throw new Error('no database');
};

describe('the logger of a handler', () => {
  test('may be pino or the console', () => {
    expectTypeOf<Pino>().toExtend<Logger>();
    expectTypeOf<Console>().toExtend<Logger>();
  });

  test('receives what the response hides, but no key', async () => {
    const { handle, logger } = openHandler(broken);
    expect((await handle(request('/sessions')))?.status).toBe(503);
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(
      {
        status: 503,
        error: { type: 'authenticator_unavailable' },
        cause: expect.stringContaining('no database'),
      },
      'API keys cannot be checked at the moment. Try again later.',
    );
    expect(JSON.stringify(logger.error.mock.calls)).not.toContain('a-secret-key');
  });

  test('receives nothing about other responses below 500', async () => {
    const { handle, logger } = openHandler(() => 'acme');
    expect((await handle(request('/session/nobody')))?.status).toBe(404);
    for (const level of [logger.info, logger.warn, logger.error])
      expect(level).not.toHaveBeenCalled();
  });

  test('may fail without an effect on the response', async () => {
    const { handle, logger } = openHandler(broken, broken);
    expect((await handle(request('/sessions')))?.status).toBe(503);
    expect(logger.error).toHaveBeenCalledTimes(1);
  });

  test('receives a warning for a wrong key, info for a missing one, and never the key', async () => {
    const { handle, logger } = openHandler(() => undefined);
    await handle(request('/session/x?key=a-secret-key'));
    await handle({ ...request('/sessions'), header: () => undefined });
    expect(logger.warn.mock.calls).toEqual([
      [{ method: 'GET', path: '/session/x', reason: 'wrong' }, 'unauthenticated'],
    ]);
    expect(logger.info.mock.calls).toEqual([
      [{ method: 'GET', path: '/sessions', reason: 'missing' }, 'unauthenticated'],
    ]);
    expect(logger.error).not.toHaveBeenCalled();
  });

  test('is rejected by name if it lacks a method', () => {
    const { sessions } = openSessions();
    const options = { sessions, authenticate: () => 'acme', ...Object({ logger: {} }) };
    expect(() => createSessionHandler(options)).toThrow(
      new TypeError('createSessionHandler: logger must have the methods info, warn, error'),
    );
  });
});
