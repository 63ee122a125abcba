import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSessionHandler } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { inspectorRoutes } from '../../src/inspector/index.js';
import { request } from '../http/handler-harness.js';
import { okOf, startedIn } from '../support/sessions.js';

describe('the pending answers of the inspector', () => {
  test("are limited like the handler's, and read no history that is not shown", async () => {
    const store = new MemorySessionStore();
    const sessions = new SessionService({ store });
    const acme = sessions.forTenant('acme');
    const id = await startedIn(acme);
    await okOf(acme.append(id, [{ role: 'user', content: 'x'.repeat(50_000) }]));
    const handler = createSessionHandler({
      sessions,
      authenticate: () => 'nobody',
      maxPendingBytes: 60_000,
      routes: [inspectorRoutes({ authenticate: () => 'acme' })],
    });
    const taken: (() => void)[] = [];
    const onClose = (listener: () => void) => void taken.push(listener);
    const statusOf = async (url: string) =>
      (await handler(request('GET', `/inspector${url}`, { onClose, header: () => undefined })))
        ?.status;
    const asked = [vi.spyOn(store, 'page'), vi.spyOn(store, 'find')];
    expect([await statusOf('/sessions'), await statusOf(`/session/${id}`)]).toEqual([200, 200]);
    expect(asked.map(({ mock }) => mock.calls[0]?.[1]?.historyLimit)).toEqual([0, 0]);
    for (const take of taken.splice(0)) take();
    expect(await statusOf(`/session/${id}/history`)).toBe(200);
    expect([await statusOf('/sessions'), await statusOf(`/session/${id}/history`)]).toEqual([
      503, 503,
    ]);
    for (const take of taken.splice(0)) take();
    expect(await statusOf(`/session/${id}/history`)).toBe(200);
  });
});
