import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

const said = { entries: [{ role: 'user', content: 'Hello' }] };

const post = (
  client: Client,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) =>
  client.send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const started = async (client: Client): Promise<string> => {
  const { id } = await client.created();
  (await client.sessions.start(id))._unsafeUnwrap();
  return id;
};

const tokenIn = (answer: Awaited<ReturnType<typeof post>>): number =>
  Number(Object(answer.json()).fencing_token);

export const leaseCases = (world: World): void => {
  describe('lease-session, renew-session and release-session', () => {
    test('return a fencing token and an end, and reject another holder until then', async () => {
      const client = world.client();
      const id = await started(client);
      const now = world.clock.now();
      const until = new Date(now + 30_000).toISOString();
      const leased = await post(client, `/lease-session/${id}`, {
        holder: 'worker-1',
        seconds: 30,
      });
      const token = tokenIn(leased);
      expect([leased.status, leased.json()]).toEqual([
        200,
        { holder: 'worker-1', fencing_token: token, until },
      ]);
      const other = { holder: 'worker-2', seconds: 30 };
      const refused = await post(client, `/lease-session/${id}`, other);
      expectProblem(refused, 409, 'leased');
      expect(refused.json()).toMatchObject({ holder: 'worker-1', until });
      const released = await post(client, `/release-session/${id}`, { fencing_token: token });
      expect([released.status, released.text]).toEqual([200, '{}']);
      expect(tokenIn(await post(client, `/lease-session/${id}`, other))).toBeGreaterThan(token);
      expectProblem(
        await post(client, `/release-session/${id}`, { fencing_token: token }),
        409,
        'lease_lost',
      );
    });

    test('move the end of the current lease on renewal, and fail for a lost lease', async () => {
      const client = world.client();
      const id = await started(client);
      const early = { fencing_token: 2, seconds: 30 };
      expectProblem(await post(client, `/renew-session/${id}`, early), 409, 'lease_lost');
      const token = tokenIn(
        await post(client, `/lease-session/${id}`, { holder: 'worker-1', seconds: 10 }),
      );
      const renewal = { fencing_token: token, seconds: 30 };
      world.clock.pass(5000);
      const until = new Date(world.clock.now() + 30_000).toISOString();
      const renewed = await post(client, `/renew-session/${id}`, renewal);
      expect([renewed.status, renewed.json()]).toEqual([
        200,
        { holder: 'worker-1', fencing_token: token, until },
      ]);
      world.clock.pass(30_000);
      expectProblem(await post(client, `/renew-session/${id}`, renewal), 409, 'lease_lost');
    });

    test('make commands and appends fail with a stale fencing token', async () => {
      const client = world.client();
      const id = await started(client);
      const fenced = (fencingToken: string) => ({ 'X-Fencing-Token': fencingToken });
      expectProblem(
        await post(client, `/append-history/${id}`, said, fenced('2')),
        409,
        'lease_lost',
      );
      const token = tokenIn(
        await post(client, `/lease-session/${id}`, { holder: 'worker-1', seconds: 5 }),
      );
      expect((await post(client, `/append-history/${id}`, said, fenced(`${token}`))).status).toBe(
        200,
      );
      expect((await client.command(`/pause-session/${id}`, fenced(`${token}`))).status).toBe(200);
      expectProblem(
        await client.command(`/resume-session/${id}`, fenced(`${token + 1}`)),
        409,
        'lease_lost',
      );
      world.clock.pass(5000);
      expectProblem(
        await post(client, `/append-history/${id}`, said, fenced(`${token}`)),
        409,
        'lease_lost',
      );
      expect((await post(client, `/append-history/${id}`, said)).status).toBe(200);
    });

    test('name what is wrong with the request', async () => {
      const client = world.client();
      const id = await started(client);
      expectInvalid(await post(client, `/lease-session/${id}`, {}), 'holder', 'seconds');
      expectInvalid(
        await post(client, `/lease-session/${id}`, { holder: 'x', seconds: 0 }),
        'seconds',
      );
      expectInvalid(
        await post(client, `/release-session/${id}`, { fencing_token: 'x' }),
        'fencing_token',
      );
      expectInvalid(await post(client, `/renew-session/${id}`, {}), 'fencing_token', 'seconds');
      for (const fencingToken of ['x', '0', '1.5', '-1', '1e3']) {
        expectInvalid(
          await client.command(`/pause-session/${id}`, { 'X-Fencing-Token': fencingToken }),
          'X-Fencing-Token',
        );
      }
      expectProblem(
        await post(client, '/lease-session/x', { holder: 'x', seconds: 1 }),
        404,
        'not_found',
      );
    });
  });

  describe('POST /append-history/{session_id} with if_position', () => {
    test('appends if the history ends there, and otherwise answers 412 with the actual end', async () => {
      const client = world.client();
      const id = await started(client);
      const first = Object(
        (await post(client, `/append-history/${id}`, { ...said, if_position: 0 })).json(),
      );
      const refused = await post(client, `/append-history/${id}`, { ...said, if_position: 0 });
      expectProblem(refused, 412, 'history_moved');
      expect(refused.json()).toMatchObject({
        title: 'Precondition Failed',
        position: first.position,
      });
      const next = { ...said, if_position: first.position };
      expect((await post(client, `/append-history/${id}`, next)).status).toBe(200);
      expect(
        (await post(client, `/append-history/${id}`, { ...said, if_position: null })).status,
      ).toBe(200);
      expectInvalid(
        await post(client, `/append-history/${id}`, { ...said, if_position: '1' }),
        'if_position',
      );
    });
  });

  describe('the Idempotency-Key of a command or an append', () => {
    test('identifies one operation, and is answered with 422 for another', async () => {
      const client = world.client();
      const id = await started(client);
      const key = { 'Idempotency-Key': 'op-1' };
      expect((await post(client, `/append-history/${id}`, said, key)).status).toBe(200);
      expect((await post(client, `/append-history/${id}`, said, key)).status).toBe(200);
      const other = { entries: [{ role: 'user', content: 'Goodbye' }] };
      expectProblem(
        await post(client, `/append-history/${id}`, other, key),
        422,
        'operation_mismatch',
      );
      expect((await client.command(`/pause-session/${id}`, key)).status).toBe(200);
      expectProblem(await client.command(`/resume-session/${id}`, key), 422, 'operation_mismatch');
    });
  });
};
