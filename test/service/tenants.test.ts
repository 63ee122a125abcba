import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/service/session-service.js';
import { ada, call, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

describe('the sessions of a tenant', () => {
  test('belong to the tenant `default` unless another is given', async () => {
    const { sessions } = openSessions();
    const { id } = await okOf(sessions.create(ada));
    expect(await okOf(sessions.forTenant('default').get(id))).toMatchObject({ id });
  });

  test('look missing to other tenants', async () => {
    const { sessions } = openSessions();
    const [acme, globex] = [sessions.forTenant('acme'), sessions.forTenant('globex')];
    const id = await startedIn(acme);
    const operations = [
      ['get'],
      ['start'],
      ['pause'],
      ['resume'],
      ['terminate'],
      ['fail'],
      ['append', [{ role: 'user', content: 'hello' }]],
    ] as const;
    for (const [operation, ...rest] of operations) {
      const theirs = await errorOf(call(globex, operation, id, ...rest));
      const nobodys = await errorOf(call(globex, operation, 'nobody', ...rest));
      expect(theirs).toEqual({ ...nobodys, id });
      expect(theirs.type).toBe('not_found');
    }
    expect(await okOf(globex.list())).toMatchObject({ sessions: [], total: 0 });
    await okOf(globex.delete(id));
    expect(await okOf(acme.get(id))).toMatchObject({ id, status: 'ACTIVE', history: [] });
  });

  test("may have the same ids as another tenant's", async () => {
    const ids = { next: () => 'same' };
    const { sessions } = openSessions({ ids });
    const [acme, globex] = [sessions.forTenant('acme'), sessions.forTenant('globex')];
    await okOf(acme.create(ada));
    await okOf(globex.create({ ...ada, face: 'bob' }));
    await okOf(acme.start('same'));
    expect(await okOf(acme.get('same'))).toMatchObject({
      status: 'ACTIVE',
      options: { face: 'ada' },
    });
    expect(await okOf(globex.get('same'))).toMatchObject({
      status: 'IDLE',
      options: { face: 'bob' },
    });
  });

  test.for([
    ['a:b', 'c', 'a', 'b:c'],
    ['__proto__', 'x', 'constructor', 'x'],
    ['{a}', '*', 'a', '?'],
    ['\uD800', 'x', '\uFFFD', 'x'],
    ['a\0', 'x', 'a', 'x'],
  ] as const)(
    'are separate for any names: (%j, %j) and (%j, %j)',
    async ([tenant, id, otherTenant, otherId]) => {
      const { sessions } = openSessions();
      const created = await okOf(sessions.forTenant(tenant).create(ada));
      expect(await errorOf(sessions.forTenant(otherTenant).get(created.id))).toMatchObject({
        type: 'not_found',
      });
      expect(await errorOf(sessions.forTenant(tenant).get(id))).toMatchObject({
        type: 'not_found',
        id,
      });
      expect(await errorOf(sessions.forTenant(otherTenant).get(otherId))).toMatchObject({
        id: otherId,
      });
    },
  );

  test('use the settings and the clock of the service that forTenant was called on', async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 60, faces: ['ada'] });
    const acme = sessions.forTenant('acme');
    expect(await errorOf(acme.create({ ...ada, face: 'bob' }))).toMatchObject({
      issues: [{ path: 'face' }],
    });
    const { id } = await okOf(acme.create(ada));
    clock.pass(60_000);
    expect(await okOf(acme.get(id))).toMatchObject({ endReason: 'idle_timeout' });
    clock.pass(-60_000);
    expect(await okOf(sessions.forTenant('acme').get(id))).toMatchObject({
      endReason: 'idle_timeout',
    });
  });

  test.for([undefined, null, '', 'x'.repeat(257), 5, {}, ['acme'], Object('acme')])(
    'require a tenant name, and not %j',
    async (tenant) => {
      const { sessions } = openSessions();
      const theirs: SessionService = Reflect.apply(sessions.forTenant, sessions, [tenant]);
      for (const operation of ['create', 'get', 'list', 'start', 'append', 'delete'] as const) {
        const error = await errorOf(call(theirs, operation, 'x'));
        expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'tenant' }] });
      }
    },
  );
});
