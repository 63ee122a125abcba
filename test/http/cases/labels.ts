import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import { minimal, type World } from '../world.js';

export const labelCases = (world: World): void => {
  describe('labels', () => {
    test('are given at creation, find sessions in a list, and are not shown unless the host says so', async () => {
      const client = world.client();
      for (const at of [1, 2, 3, 4, 5]) {
        world.clock.pass(1000);
        await client.create({ ...minimal, labels: { user: at % 2 === 0 ? 'u:2' : 'u-1', channel: 'web' } });
      }
      const page = await client.send('/sessions?label=user:u-1&limit=2');
      expect(page.headers).toMatchObject({ 'x-total-count': '3' });
      expect(page.headers['link']).toContain('page=2&label=user%3Au-1>; rel="next"');
      const sessions: readonly unknown[] = JSON.parse(page.text);
      expect(sessions).toHaveLength(2);
      for (const session of sessions) expect(session).not.toHaveProperty('labels');
      expect((await client.send('/sessions?label=user:u:2')).headers).toMatchObject({ 'x-total-count': '2' });
      expect((await client.send('/sessions?label=user:nobody')).text).toBe('[]');
      const after = `&after=${page.headers['x-next-cursor']}`;
      const rest: readonly unknown[] = JSON.parse((await client.send(`/sessions?label=user:u-1${after}`)).text);
      expect(rest).toHaveLength(1);
      expect((await world.client().send('/sessions?label=user:u-1')).text).toBe('[]');
    });

    test('are part of what an Idempotency-Key stands for', async () => {
      const client = world.client();
      const key = { 'Idempotency-Key': 'call-1' };
      expect((await client.create({ ...minimal, labels: { user: 'u-1' } }, key)).status).toBe(201);
      expect((await client.create({ ...minimal, labels: { user: 'u-1' } }, key)).status).toBe(201);
      expectProblem(await client.create({ ...minimal, labels: { user: 'u-2' } }, key), 422, 'idempotency_mismatch');
    });

    test('name what is wrong with them', async () => {
      const client = world.client();
      expectInvalid(await client.create({ ...minimal, labels: 'user' }), 'labels');
      expectInvalid(await client.create({ ...minimal, labels: { user: 5 } }), 'labels.user');
      expectInvalid(await client.create({ ...minimal, labels: { User: 'x' } }), 'labels');
      expect((await client.create({ ...minimal, labels: null })).status).toBe(201);
      expectInvalid(await client.send('/sessions?label=user'), 'label.user');
      expectInvalid(await client.send('/sessions?label=user:'), 'label.user');
      expectInvalid(await client.send('/sessions?label=user:u-1&status=IDLE'), 'label');
      expectInvalid(await client.send('/sessions?label=a:b&label=c:d'), 'label');
    });
  });
};
