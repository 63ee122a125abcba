import { describe, expect, test } from 'vitest';
import { send } from '../client.js';
import { expectInvalid, expectProblem } from '../problems.js';
import { keyOf, type World } from '../world.js';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Ids of no session, as they appear in a path. */
const strangeIds = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  '%20',
  '%00',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f',
  'a%2Fb',
  'a+b',
  '%7B%7D*%3A%3F',
  '%F0%9F%98%80',
  '~.-_',
  'x'.repeat(256),
];

const brokenEncodings = [
  '%',
  '%z',
  '%zz',
  '%e',
  '%ff',
  '%c3%28',
  'a%',
  '%E0%A4',
  '%ed%a0%80',
  '%u0041',
];

export const getCases = (world: World): void => {
  describe('GET /session/{session_id}', () => {
    test('returns exactly the six fields of a session', async () => {
      const client = world.client();
      const { id } = await client.created();
      const reply = await client.send(`/session/${id}`);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      expect(reply.json()).toEqual({
        id,
        status: 'IDLE',
        options: { face: 'ada', profile: 'tutor', context: '', behavior: '', time_limit: 0 },
        history: [],
        created_at: expect.stringMatching(RFC_3339),
        duration: 0,
      });
    });

    test('returns history entries with role, content and timestamp, oldest first', async () => {
      const client = world.client();
      const { id } = await client.created();
      await client.sessions.start(id);
      const timestamp = '2026-01-31T18:00:02.000Z';
      const said = [
        { role: 'user', content: 'Hi "you" \\ \n 👋 \u2028', timestamp },
        { role: 'assistant', content: '', timestamp },
        { role: 'any role', content: '\ud800', timestamp },
      ];
      await client.sessions.append(id, said);
      expect((await client.send(`/session/${id}`)).json()).toHaveProperty('history', said);
    });

    test('returns the same object as the list', async () => {
      const client = world.client();
      const { id } = await client.created();
      await client.sessions.start(id);
      await client.sessions.append(id, [{ role: 'user', content: 'Hello' }]);
      const one = (await client.send(`/session/${id}`)).text;
      expect((await client.send('/sessions')).text).toBe(`[${one}]`);
    });

    test('returns the current status, and the duration in whole seconds', async () => {
      const client = world.client();
      const { id } = await client.created();
      const seen = async () => {
        const { status, duration } = Object((await client.send(`/session/${id}`)).json());
        return `${status} ${duration}`;
      };
      await client.sessions.start(id);
      world.clock.pass(1999);
      expect(await seen()).toBe('ACTIVE 1');
      world.clock.pass(1);
      await client.sessions.pause(id);
      world.clock.pass(60_000);
      expect(await seen()).toBe('PAUSED 2');
      await client.sessions.terminate(id);
      expect(await seen()).toBe('TERMINATED 2');
    });

    test('returns TERMINATED from the millisecond in which the time limit is used up', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ face: 'a', profile: 'b', time_limit: 3 })).json(),
      );
      await client.sessions.start(id);
      world.clock.pass(2999);
      expect((await client.send(`/session/${id}`)).json()).toMatchObject({
        status: 'ACTIVE',
        duration: 2,
      });
      world.clock.pass(1);
      expect((await client.send(`/session/${id}`)).json()).toMatchObject({
        status: 'TERMINATED',
        duration: 3,
      });
    });

    test('answers 404 for an unknown session_id', async () => {
      expectProblem(await world.client().send('/session/nobody-has-this'), 404, 'not_found');
    });

    test.each(strangeIds)('answers 404 for the valid but unknown id %s', async (id) => {
      expectProblem(await world.client().send(`/session/${id}`), 404, 'not_found');
    });

    test('never lets a line break of an id into the response', async () => {
      const client = world.client();
      // A router may find no path with a line break in it, and answer for itself.
      const headers = { 'X-API-KEY': keyOf(client.tenant) };
      const reply = await send(world.origin, client.at('/session/x%0d%0aSet-Cookie:%20a=b'), {
        headers,
      });
      expect(reply.status).toBe(404);
      expect(reply.headers).not.toHaveProperty('set-cookie');
    });

    test.each(brokenEncodings)(
      'answers 400 for the invalid id %s, naming session_id',
      async (id) => {
        expectInvalid(await world.client().send(`/session/${id}`), 'session_id');
      },
    );

    test('answers 400 for an id of more than 256 characters, naming session_id', async () => {
      expectInvalid(await world.client().send(`/session/${'x'.repeat(257)}`), 'session_id');
    });

    test('accepts a percent-encoded id', async () => {
      const client = world.client();
      const { id } = await client.created();
      const encoded = id.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
      expect((await client.send(`/session/${encoded}`)).json()).toHaveProperty('id', id);
    });

    test('ignores a query after the id', async () => {
      const client = world.client();
      const { id } = await client.created();
      expect((await client.send(`/session/${id}?limit=junk`)).status).toBe(200);
    });

    test('answers 500 for an unreadable record, without details of the damage', async () => {
      const client = world.client();
      const { id } = await client.created();
      world.store.damage({ tenant: client.tenant, id }, 'head');
      const reply = await client.send(`/session/${id}`);
      expectProblem(reply, 500, 'corrupt_record');
      expect(reply.text).not.toContain('head');
    });
  });
};
