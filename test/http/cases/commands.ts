import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import type { World } from '../world.js';

const moves = ['start', 'pause', 'resume', 'terminate', 'fail'] as const;

/** Everything that is asked of one session. */
const paths = [
  ...moves.map((command) => `/${command}-session`),
  '/extend-session',
  '/update-session',
  '/append-history',
  '/rewind-history',
];

/** A good body for each path that takes one. */
const bodies: Readonly<Record<string, object>> = {
  '/extend-session': { time_limit: 60 },
  '/update-session': { labels: { title: 'Tax return' } },
  '/append-history': { entries: [{ role: 'user', content: 'Hello' }] },
  '/rewind-history': { to: 0, if_position: 0 },
};

export const commandCases = (world: World): void => {
  describe('commands over HTTP', () => {
    test('answer 200 with id, status and times, and with end_reason after the end', async () => {
      const client = world.client();
      const { id } = await client.created();
      const seen = async (path: string) => {
        const reply = await client.command(`/${path}-session/${id}`);
        expect(reply.status).toBe(200);
        expect(reply.headers).toMatchObject({
          'content-type': 'application/json',
          'cache-control': 'no-store',
        });
        return reply.json();
      };
      const now = () => new Date(world.clock.now()).toISOString();
      const started = now();
      const begun = {
        id,
        duration: 0,
        duration_ms: 0,
        started_at: started,
        revision: expect.any(Number),
      };
      expect(await seen('start')).toEqual({ ...begun, status: 'ACTIVE' });
      world.clock.pass(2500);
      const used = { ...begun, duration: 2, duration_ms: 2500 };
      expect(await seen('pause')).toEqual({ ...used, status: 'PAUSED' });
      expect(await seen('resume')).toEqual({ ...used, status: 'ACTIVE' });
      const end = { ...used, status: 'TERMINATED', end_reason: 'terminated', ended_at: now() };
      expect(await seen('terminate')).toEqual(end);
      expect(await seen('terminate')).toEqual(end);
      expect((await client.send(`/session/${id}`)).json()).toMatchObject({
        status: 'TERMINATED',
        duration: 2,
      });
    });

    test('end a session with a custom reason, for fail', async () => {
      const client = world.client();
      const { id } = await client.created();
      const reply = await client.command(`/fail-session/${id}`);
      expect(reply.json()).toMatchObject({
        id,
        status: 'TERMINATED',
        duration: 0,
        end_reason: 'failed',
      });
      expectProblem(await client.command(`/fail-session/${id}`), 409, 'invalid_transition');
      expect((await client.command(`/terminate-session/${id}`)).json()).toEqual(reply.json());
    });

    test('answer 409 if the status does not allow them, and change nothing', async () => {
      const client = world.client();
      const { id } = await client.created();
      for (const command of ['pause', 'resume']) {
        const refused = await client.command(`/${command}-session/${id}`);
        expectProblem(refused, 409, 'invalid_transition');
        expect(refused.json()).toHaveProperty(
          'detail',
          `a session that is IDLE does not allow ${command}`,
        );
      }
      expect((await client.send(`/session/${id}`)).json()).toHaveProperty('status', 'IDLE');
    });

    test('set another time limit once per key, for extend', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ face: 'a', profile: 'b', time_limit: 3 })).json(),
      );
      await client.command(`/start-session/${id}`);
      const started = world.clock.now();
      world.clock.pass(2000);
      const extend = () =>
        client.command(`/extend-session/${id}`, { 'Idempotency-Key': 'paid' }, { time_limit: 60 });
      const extended = await extend();
      expect(extended.status).toBe(200);
      expect(extended.headers).not.toHaveProperty('idempotent-replayed');
      expect(extended.json()).toEqual({
        id,
        status: 'ACTIVE',
        duration: 2,
        duration_ms: 2000,
        revision: expect.any(Number),
        started_at: new Date(started).toISOString(),
        ends_at: new Date(started + 60_000).toISOString(),
      });
      expect((await extend()).headers).toHaveProperty('idempotent-replayed', 'true');
      expect((await client.send(`/session/${id}`)).json()).toHaveProperty('options.time_limit', 60);
    });

    test('are rejected once the time limit is used up', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ face: 'a', profile: 'b', time_limit: 3 })).json(),
      );
      await client.command(`/start-session/${id}`);
      world.clock.pass(3000);
      expectProblem(await client.command(`/pause-session/${id}`), 409, 'invalid_transition');
      const ended = await client.command(`/terminate-session/${id}`);
      expect(ended.json()).toMatchObject({
        id,
        status: 'TERMINATED',
        duration: 3,
        end_reason: 'time_limit',
      });
    });

    test.each(paths)(
      'answer %s of an unknown or foreign session with the same 404 as get',
      async (path) => {
        const [ours, theirs] = [world.client(), world.client()];
        const { id } = await theirs.created();
        const body = bodies[path];
        const get = await ours.send('/session/nobody-has-this');
        for (const each of [id, 'nobody-has-this', '__proto__', 'a%2Fb']) {
          const reply = await ours.command(`${path}/${each}`, {}, body);
          expectProblem(reply, 404, 'not_found');
          expect(reply.text).toBe(get.text);
          expect({ ...reply.headers, date: '' }).toEqual({ ...get.headers, date: '' });
        }
        expect((await theirs.send(`/session/${id}`)).json()).toMatchObject({
          status: 'IDLE',
          history: [],
        });
      },
    );

    test.each([...paths, '/delete-session'])(
      'answer %s of an invalid id with 400, naming session_id',
      async (path) => {
        const client = world.client();
        const body = bodies[path];
        for (const id of ['%zz', '%ff', 'x'.repeat(257)]) {
          expectInvalid(await client.command(`${path}/${id}`, {}, body), 'session_id');
        }
      },
    );

    test('accept a percent-encoded id, and ignore the query', async () => {
      const client = world.client();
      const { id } = await client.created();
      const encoded = id.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
      expect((await client.command(`/start-session/${encoded}?command=fail`)).json()).toMatchObject(
        {
          id,
          status: 'ACTIVE',
        },
      );
    });

    test('ignore an unexpected body', async () => {
      const client = world.client();
      const { id } = await client.created();
      expect(
        (await client.command(`/start-session/${id}`, {}, { status: 'TERMINATED' })).json(),
      ).toHaveProperty('status', 'ACTIVE');
    });

    test('answer 500 for an unreadable record', async () => {
      const client = world.client();
      const { id } = await client.created();
      world.store.damage({ tenant: client.tenant, id }, 'state');
      expectProblem(await client.command(`/start-session/${id}`), 500, 'corrupt_record');
    });
  });

  describe('the Idempotency-Key of a command', () => {
    test('makes the command safe to repeat: a repetition changes nothing, and returns the current state', async () => {
      const client = world.client();
      const { id } = await client.created();
      const start = () => client.command(`/start-session/${id}`, { 'Idempotency-Key': 'start:1' });
      const first = await start();
      expect(first.json()).toMatchObject({ status: 'ACTIVE' });
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      await client.command(`/pause-session/${id}`);
      const again = await start();
      expect([again.status, again.json()]).toMatchObject([
        200,
        { id, status: 'PAUSED', duration: 0 },
      ]);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expectProblem(await client.command(`/start-session/${id}`), 409, 'invalid_transition');
    });

    test('is the text between its quotes, as in the IETF draft', async () => {
      const client = world.client();
      const { id } = await client.created();
      await client.command(`/start-session/${id}`, { 'Idempotency-Key': '"start:1"' });
      await client.command(`/pause-session/${id}`);
      const again = await client.command(`/start-session/${id}`, { 'Idempotency-Key': 'start:1' });
      expect([again.status, again.json()]).toMatchObject([
        200,
        { id, status: 'PAUSED', duration: 0 },
      ]);
    });

    test('starts a session once for ten concurrent requests with one key', async () => {
      const client = world.client();
      const { id } = await client.created();
      const calls = Array.from({ length: 10 }, () =>
        client.command(`/start-session/${id}`, { 'Idempotency-Key': 'race' }),
      );
      const replies = await Promise.all(calls);
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    });

    test.each(paths)(
      'is rejected for %s with 400, naming the header, unless it is an operation id',
      async (path) => {
        const client = world.client();
        const { id } = await client.created();
        await client.sessions.start(id);
        const body = bodies[path];
        for (const key of [
          '',
          '"a',
          '""',
          '"a"b"',
          'caf\u00E9',
          'k'.repeat(257),
          `"${'k'.repeat(257)}"`,
        ]) {
          expectInvalid(
            await client.command(`${path}/${id}`, { 'Idempotency-Key': key }, body),
            'Idempotency-Key',
          );
        }
        expect((await client.send(`/session/${id}`)).json()).toMatchObject({
          status: 'ACTIVE',
          history: [],
        });
      },
    );
  });

  describe('POST /delete-session/{session_id}', () => {
    test('answers 204 without a body or a length, and deletes the session', async () => {
      const client = world.client();
      const { id } = await client.created();
      const reply = await client.command(`/delete-session/${id}`);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(reply.headers).toHaveProperty('cache-control', 'no-store');
      expect(reply.headers).not.toHaveProperty('content-length');
      expect(reply.headers).not.toHaveProperty('content-type');
      expectProblem(await client.send(`/session/${id}`), 404, 'not_found');
      expect((await client.send('/sessions')).text).toBe('[]');
    });

    test("answers the same for a missing session and for another tenant's, which stays", async () => {
      const [ours, theirs] = [world.client(), world.client()];
      const { id } = await theirs.created();
      for (const each of [id, 'nobody-has-this']) {
        expect((await ours.command(`/delete-session/${each}`)).status).toBe(204);
      }
      expect((await theirs.send(`/session/${id}`)).status).toBe(200);
    });
  });
};
