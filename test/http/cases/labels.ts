import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import { minimal, type World } from '../world.js';

export const labelCases = (world: World): void => {
  describe('labels over HTTP', () => {
    test('are set by create, filter a list, and are hidden unless the host shows them', async () => {
      const client = world.client();
      for (const at of [1, 2, 3, 4, 5]) {
        world.clock.pass(1000);
        await client.create({
          ...minimal,
          labels: { user: at % 2 === 0 ? 'u:2' : 'u-1', channel: 'web' },
        });
      }
      const page = await client.send('/sessions?labels=user:u-1&limit=2');
      expect(page.headers).toMatchObject({ 'x-total-count': '3' });
      expect(page.headers['link']).toContain('page=2&labels=user%3Au-1>; rel="next"');
      const sessions: readonly unknown[] = JSON.parse(page.text);
      expect(sessions).toHaveLength(2);
      for (const session of sessions) expect(session).not.toHaveProperty('labels');
      expect((await client.send('/sessions?labels=user:u:2')).headers).toMatchObject({
        'x-total-count': '2',
      });
      expect((await client.send('/sessions?labels=user:nobody')).text).toBe('[]');
      const after = `&cursor=${page.headers['x-next-cursor']}`;
      const rest: readonly unknown[] = JSON.parse(
        (await client.send(`/sessions?labels=user:u-1${after}`)).text,
      );
      expect(rest).toHaveLength(1);
      expect((await world.client().send('/sessions?labels=user:u-1')).text).toBe('[]');
    });

    test('are part of what an Idempotency-Key identifies', async () => {
      const client = world.client();
      const key = { 'Idempotency-Key': 'call-1' };
      expect((await client.create({ ...minimal, labels: { user: 'u-1' } }, key)).status).toBe(201);
      expect((await client.create({ ...minimal, labels: { user: 'u-1' } }, key)).status).toBe(201);
      expectProblem(
        await client.create({ ...minimal, labels: { user: 'u-2' } }, key),
        422,
        'idempotency_mismatch',
      );
    });

    test('are rejected with what is wrong', async () => {
      const client = world.client();
      expectInvalid(await client.create({ ...minimal, labels: 'user' }), 'labels');
      expectInvalid(await client.create({ ...minimal, labels: { user: 5 } }), 'labels.user');
      expectInvalid(await client.create({ ...minimal, labels: { 'a b': 'x' } }), 'labels');
      expect((await client.create({ ...minimal, labels: null })).status).toBe(201);
      for (const query of ['labels=user', 'labels=a:b&labels=user']) {
        expect((await client.send(`/sessions?${query}`)).json()).toMatchObject({
          errors: [{ path: 'labels', message: 'must have the form name:value, as in user:u-1' }],
        });
      }
      expectInvalid(await client.send('/sessions?labels=user:'), 'labels.user');
      expectInvalid(await client.send('/sessions?labels=a:b&labels=a:c'), 'labels');
    });

    test('are changed by update-session once per key, and read with the session', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ ...minimal, labels: { draft: 'yes', user: 'u-1' } })).json(),
      );
      const key = { 'Idempotency-Key': 'title-1' };
      const update = (labels: unknown) => client.command(`/update-session/${id}`, key, { labels });
      const updated = await update({ pageTitle: 'Tax return', draft: null });
      expect(updated.status).toBe(200);
      expect(updated.headers).not.toHaveProperty('idempotent-replayed');
      expect(updated.json()).toEqual({
        id,
        status: 'IDLE',
        duration: 0,
        duration_ms: 0,
        revision: expect.any(Number),
      });
      const again = await update({ draft: null, pageTitle: 'Tax return' });
      expect(again.headers).toHaveProperty('idempotent-replayed', 'true');
      expectProblem(await update({ pageTitle: 'Another' }), 422, 'operation_mismatch');
      const found = async (query: string) =>
        (await client.send(`/sessions?${query}`)).headers['x-total-count'];
      expect(await found('labels=pageTitle:Tax%20return&labels=user:u-1')).toBe('1');
      expect(await found('labels=draft:yes')).toBe('0');
      expectInvalid(
        await client.command(`/update-session/${id}`, {}, { labels: { user: 5 } }),
        'labels.user',
      );
      expectInvalid(await client.command(`/update-session/${id}`, {}, {}), 'labels');
      expectInvalid(
        await client.command(`/update-session/${id}`, {}, { metadata: null }),
        'labels',
      );
      expectProblem(
        await client.command('/update-session/nobody', {}, { labels: { a: 'x' } }),
        404,
        'not_found',
      );
    });

    test('filter by several labels, a status and the last use, and links repeat them', async () => {
      const client = world.client();
      const ids: string[] = [];
      for (const channel of ['web', 'phone', 'web']) {
        world.clock.pass(1000);
        const created = await client.create({ ...minimal, labels: { user: 'u-1', channel } });
        ids.push(String(Object(created.json()).session_id));
      }
      world.clock.pass(1000);
      await client.command(`/start-session/${ids[0]}`);
      const listed = async (query: string) => {
        const page = await client.send(`/sessions?${query}`);
        const sessions: readonly { readonly id: string }[] = JSON.parse(page.text);
        return { ids: sessions.map(({ id }) => id), headers: page.headers };
      };
      const both = await listed('labels=user:u-1&labels=channel:web&limit=1');
      expect(both.ids).toEqual([ids[2]]);
      expect(both.headers['link']).toContain(
        'page=2&labels=user%3Au-1&labels=channel%3Aweb>; rel="next"',
      );
      expect((await listed('labels=user:u-1&status=ACTIVE')).ids).toEqual([ids[0]]);
      const first = await listed('labels=user:u-1&order=updated&limit=2');
      expect(first.ids).toEqual([ids[0], ids[2]]);
      const after = `cursor=${first.headers['x-next-cursor']}`;
      expect((await listed(`labels=user:u-1&order=updated&limit=2&${after}`)).ids).toEqual([
        ids[1],
      ]);
      expectInvalid(await client.send(`/sessions?labels=user:u-1&${after}`), 'cursor');
    });
  });
};
