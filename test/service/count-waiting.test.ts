import { err } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, createdIn, errorOf, okOf, openSessions } from '../support/sessions.js';

const worker = { holder: 'worker-1', seconds: 10 };

describe('countWaiting', () => {
  test('counts the sessions that no worker has yet, and again those that one has given up', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 3; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
    await createdIn(sessions);
    expect(await okOf(sessions.countWaiting())).toEqual({ count: 3, limit: 10_000 });
    await okOf(sessions.claim(worker));
    expect((await okOf(sessions.countWaiting())).count).toBe(2);
    clock.pass(11_000);
    expect((await okOf(sessions.countWaiting())).count).toBe(3);
  });

  test('does not count what waits for a later time, or what was cancelled', async () => {
    const { sessions, clock } = openSessions();
    const [later, cancelled] = [await createdIn(sessions), await createdIn(sessions)];
    await okOf(sessions.wake(later, { at: new Date(clock.now() + 1000) }));
    await okOf(sessions.wake(cancelled));
    await okOf(sessions.cancel(cancelled));
    expect((await okOf(sessions.countWaiting())).count).toBe(0);
    clock.pass(1000);
    expect((await okOf(sessions.countWaiting())).count).toBe(1);
  });

  test('counts the sessions of the tenant alone, and countWaitingAny those of all tenants', async () => {
    const { sessions } = openSessions();
    for (const tenant of ['acme', 'globex'])
      await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    expect((await okOf(sessions.countWaiting())).count).toBe(0);
    expect((await okOf(sessions.forTenant('acme').countWaiting())).count).toBe(1);
    expect((await okOf(sessions.countWaitingAny())).count).toBe(2);
  });

  test('asks the store to count no further than 10000', async () => {
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

  test('returns the error of a store that does not answer or throws: nothing was applied', async () => {
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
