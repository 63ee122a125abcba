import { describe, expect, test, vi } from 'vitest';
import { createSessionHandler, type HandlerRequest, type SessionHandlerOptions } from '../../src/http/index.js';
import { openSessions } from '../support/sessions.js';

const request = (url: string): HandlerRequest => ({
  method: 'GET',
  url,
  prefix: '',
  header: (name) => (name === 'x-api-key' ? 'a-secret-key' : undefined),
  body: async () => ({ outcome: 'lost' }),
});

const openHandler = (authenticate: SessionHandlerOptions['authenticate'], error: () => unknown = () => undefined) => {
  const logged = vi.fn(error);
  const logger = { info: logged, warn: logged, error: logged };
  return { handle: createSessionHandler({ sessions: openSessions().sessions, authenticate, logger }), logged };
};

const broken = () => {
  throw new Error('no database');
};

describe('the logger of a handler', () => {
  test('is told what the answer hides, and no key', async () => {
    const { handle, logged } = openHandler(broken);
    expect((await handle(request('/sessions')))?.status).toBe(503);
    expect(logged).toHaveBeenCalledExactlyOnceWith(
      { status: 503, error: { type: 'authenticator_unavailable' }, cause: expect.stringContaining('no database') },
      'authenticator_unavailable',
    );
    expect(JSON.stringify(logged.mock.calls)).not.toContain('a-secret-key');
  });

  test('is told nothing of answers below 500', async () => {
    const { handle, logged } = openHandler(() => 'acme');
    expect((await handle(request('/session/nobody')))?.status).toBe(404);
    expect(logged).not.toHaveBeenCalled();
  });

  test('is no harm where it fails', async () => {
    const { handle, logged } = openHandler(broken, broken);
    expect((await handle(request('/sessions')))?.status).toBe(503);
    expect(logged).toHaveBeenCalledTimes(1);
  });

  test('is refused by name where it is none', async () => {
    const onError = vi.fn();
    const { sessions } = openSessions();
    const handle = createSessionHandler({ sessions, authenticate: () => 'acme', onError, ...Object({ logger: {} }) });
    expect((await handle(request('/sessions')))?.status).toBe(503);
    expect(onError.mock.calls).toMatchObject([[{ type: 'misconfigured', issues: [{ path: 'logger' }] }]]);
  });
});
