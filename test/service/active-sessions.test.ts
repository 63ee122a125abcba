import { describe, expect, test } from 'vitest';
import { SessionService } from '../../src/index.js';
import { serve } from '../client/served.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const tooMany = (id: string, limit: number) => ({ type: 'too_many_active', id, limit });

describe('limits.activeSessions', () => {
  test('rejects a start beyond it, and changes nothing', async () => {
    const { sessions } = openSessions({ limits: { activeSessions: 1 } });
    const active = await startedIn(sessions);
    const idle = await createdIn(sessions);
    expect(await errorOf(sessions.start(idle))).toMatchObject(tooMany(idle, 1));
    expect(await okOf(sessions.get(idle))).toMatchObject({ status: 'IDLE' });
    await okOf(sessions.terminate(active));
    expect(await okOf(sessions.start(idle))).toMatchObject({ status: 'ACTIVE' });
  });

  test('counts a paused session, so that a resume never fails for the limit', async () => {
    const { sessions } = openSessions({ limits: { activeSessions: 1 } });
    const paused = await startedIn(sessions);
    await okOf(sessions.pause(paused));
    const idle = await createdIn(sessions);
    expect(await errorOf(sessions.start(idle))).toMatchObject(tooMany(idle, 1));
    expect(await okOf(sessions.resume(paused))).toMatchObject({ status: 'ACTIVE' });
    await okOf(sessions.pause(paused));
    await okOf(sessions.terminate(paused));
    expect(await okOf(sessions.start(idle))).toMatchObject({ status: 'ACTIVE' });
  });

  test('no longer counts a paused session after its idle timeout', async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 30, limits: { activeSessions: 1 } });
    await okOf(sessions.pause(await startedIn(sessions)));
    const next = await createdIn(sessions);
    clock.pass(29_999);
    expect(await errorOf(sessions.start(next))).toMatchObject(tooMany(next, 1));
    clock.pass(1);
    const later = await createdIn(sessions);
    expect(await okOf(sessions.start(later))).toMatchObject({ status: 'ACTIVE' });
  });

  test('no longer counts a session from the millisecond of its time limit, without a sweep', async () => {
    const { sessions, clock } = openSessions({ limits: { activeSessions: 1 } });
    await startedIn(sessions, { timeLimit: 60 });
    const next = await createdIn(sessions);
    clock.pass(59_999);
    expect(await errorOf(sessions.start(next))).toMatchObject(tooMany(next, 1));
    clock.pass(1);
    expect(await okOf(sessions.start(next))).toMatchObject({ status: 'ACTIVE' });
  });

  test('accepts a repeated start with its operation id when all places are taken', async () => {
    const { sessions } = openSessions({ limits: { activeSessions: 1 } });
    const id = await createdIn(sessions);
    for (let times = 0; times < 2; times += 1) {
      expect(await okOf(sessions.start(id, { operationId: 'go' }))).toMatchObject({
        status: 'ACTIVE',
      });
    }
  });

  test('may be a function of the tenant, and counts per tenant', async () => {
    const limitOf = (tenant: string) => (tenant === 'acme' ? 2 : 0);
    const { sessions } = openSessions({ tenant: 'acme', limits: { activeSessions: limitOf } });
    const globex = sessions.forTenant('globex');
    await startedIn(sessions);
    await startedIn(sessions);
    const [third, theirs] = [await createdIn(sessions), await createdIn(globex)];
    expect(await errorOf(sessions.start(third))).toMatchObject(tooMany(third, 2));
    expect(await errorOf(globex.start(theirs))).toMatchObject(tooMany(theirs, 0));
  });

  test('fails a start with misconfigured if its function throws or returns no number', async () => {
    const broken = [
      () => Number.NaN,
      () => -1,
      () => JSON.parse('"3"'),
      () => {
        throw new Error('no plan');
      },
    ];
    for (const activeSessions of broken) {
      const { sessions } = openSessions({ limits: { activeSessions } });
      const id = await createdIn(sessions);
      const error = await errorOf(sessions.start(id));
      expect(error).toMatchObject({
        type: 'misconfigured',
        message: expect.stringContaining('limits.activeSessions'),
      });
      expect(await okOf(sessions.get(id))).toMatchObject({ status: 'IDLE' });
    }
  });

  test.each([-1, Number.NaN, '3', {}])('rejects %j', (activeSessions) => {
    const { store } = openSessions();
    const open = () => Reflect.construct(SessionService, [{ store, limits: { activeSessions } }]);
    expect(open).toThrow(/limits\.activeSessions/);
  });

  test('answers 429 with Retry-After over HTTP, which the client reports', async () => {
    const { baseUrl, client, sessions } = await serve({ limits: { activeSessions: 1 } });
    await startedIn(sessions);
    const id = await createdIn(sessions);
    const headers = { 'X-API-KEY': 'key-of-acme' };
    const response = await fetch(`${baseUrl}/start-session/${id}`, { method: 'POST', headers });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await response.json()).toMatchObject({
      code: 'too_many_active',
      title: 'Too Many Requests',
    });
    expect((await client.start(id))._unsafeUnwrapErr()).toMatchObject({ type: 'too_many_active' });
  });
});
