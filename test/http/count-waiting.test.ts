import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { commandRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { ada, okOf } from '../support/sessions.js';
import { handlerWith, request } from './handler-harness.js';

test('a client can count the sessions of its tenant that wait for a worker, if the handler has commands', async () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  for (const tenant of ['acme', 'acme', 'globex']) {
    await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
  }
  const asked = request('GET', '/count-waiting-sessions');
  const response = await handlerWith({ sessions, routes: [commandRoutes()] }).handler(asked);
  expect([response?.status, JSON.parse(response?.body ?? '')]).toEqual([
    200,
    { count: 2, limit: 10_000 },
  ]);
  expect(await handlerWith({ sessions }).handler(asked)).toBeUndefined();
});
