import { err } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, createdIn, errorOf, okOf, openSessions } from '../support/sessions.js';

const worker = { holder: 'worker-1', seconds: 10 };

describe('countWaiting', () => {
  test('counts sessions without a worker, and those that a worker has released', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 3; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
    await createdIn(sessions);
    expect(await okOf(sessions.countWaiting())).toEqual({ count: 3, limit: 10_000 });
    await okOf(sessions.claim(worker));
    expect((await okOf(sessions.countWaiting())).count).toBe(2);
    clock.pass(11_000);
    expect((await okOf(sessions.countWaiting())).count).toBe(3);
  });

  test('excludes sessions that wait for a later time or were cancelled', async () => {
    const { sessions, clock } = openSessions();
    const [later, cancelled] = [await createdIn(sessions), await createdIn(sessions)];
    await okOf(sessions.wake(later, { at: new Date(clock.now() + 1000) }));
    await okOf(sessions.wake(cancelled));
    await okOf(sessions.cancel(cancelled));
    expect((await okOf(sessions.countWaiting())).count).toBe(0);
    clock.pass(1000);
    expect((await okOf(sessions.countWaiting())).count).toBe(1);
  });

  test("counts one tenant's sessions, and countWaitingAny counts the sessions of all tenants", async () => {
    const { sessions } = openSessions();
    for (const tenant of ['acme', 'globex'])
      await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    expect((await okOf(sessions.countWaiting())).count).toBe(0);
    expect((await okOf(sessions.forTenant('acme').countWaiting())).count).toBe(1);
    expect((await okOf(sessions.countWaitingAny())).count).toBe(2);
  });

  test("limits the store's count to 10000", async () => {
    const store: SessionStore = new MemorySessionStore();
    const { sessions, clock } = openSessions({ store });
    const counting = vi.spyOn(store, 'countWaiting');
    await okOf(sessions.countWaiting());
    await okOf(sessions.countWaitingAny());
    const range = { now: clock.now(), limit: 10_000 };
    expect(counting.mock.calls).toEqual([
      [{ ...range, tenant: 'default' }],
      [{ ...range, tenant: undefined }],
    ]);
  });

  test('returns the error of a store that does not respond or throws, as not_applied', async () => {
    const store: SessionStore = new MemorySessionStore();
    const { sessions } = openSessions({ store });
    const away = storeUnavailable('it is gone', 'not_applied');
    const counting = vi.spyOn(store, 'countWaiting').mockReturnValueOnce(err(away));
    expect(await errorOf(sessions.countWaiting())).toEqual(away);
    counting.mockImplementationOnce(() => {
      throw new Error('broken');
    });
    expect(await errorOf(sessions.countWaitingAny())).toMatchObject({
      type: 'store_unavailable',
      outcome: 'not_applied',
    });
    expect(await errorOf(sessions.forTenant('').countWaiting())).toMatchObject({
      type: 'invalid_input',
    });
  });
});
