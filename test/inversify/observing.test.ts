import { Container } from 'inversify';
import { err } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Logger, SessionHandler } from '../../src/http/index.js';
import type { SessionObserver, SessionService, SessionStore } from '../../src/index.js';
import { coreModule, handlerModule, TYPES } from '../../src/inversify/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { PATIENT_MS } from '../support/patience.js';

describe('a container with observers and a logger', () => {
  it('passes the observers to the service, and the logger to the handler', async () => {
    const store: SessionStore = new MemorySessionStore();
    vi.spyOn(store, 'page').mockReturnValue(err(storeUnavailable('it is gone', 'not_applied')));
    const run = vi.fn();
    const error = vi.fn();
    const container = new Container();
    container.bind<SessionStore>(TYPES.SessionStore).toConstantValue(store);
    container.bind<readonly SessionObserver[]>(TYPES.SessionObservers).toConstantValue([{ run }]);
    container.bind<Logger>(TYPES.Logger).toConstantValue({ info: error, warn: error, error });
    container.load(coreModule(), handlerModule({ authenticate: () => 'acme' }));
    expect((await container.get<SessionService>(TYPES.SessionService).list()).isErr()).toBe(true);
    const response = await container.get<SessionHandler>(TYPES.SessionHandler)({
      method: 'GET',
      url: '/sessions',
      prefix: '',
      header: () => 'a-key',
      body: async () => ({ outcome: 'lost' }),
    });
    expect(response?.status).toBe(503);
    expect(run.mock.calls.map(([operation]) => operation)).toEqual([
      { name: 'list', tenant: 'default' },
      { name: 'list', tenant: 'acme' },
    ]);
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    expect(error.mock.calls[0]?.[0]).toMatchObject({ status: 503 });
  });
});
