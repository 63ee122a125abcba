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
    test('gives the six fields of a session and no others', async () => {
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

    test('history entries have role, content and timestamp, oldest first', async () => {
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

    test('is the same object as in the list', async () => {
      const client = world.client();
      const { id } = await client.created();
      await client.sessions.start(id);
      await client.sessions.append(id, [{ role: 'user', content: 'Hello' }]);
      const one = (await client.send(`/session/${id}`)).text;
      expect((await client.send('/sessions')).text).toBe(`[${one}]`);
    });

    test('tells status and whole seconds of duration as they are at this moment', async () => {
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

    test('a session is TERMINATED from the instant that its time limit is used up', async () => {
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

    test('an unknown session_id is 404', async () => {
      expectProblem(await world.client().send('/session/nobody-has-this'), 404, 'not_found');
    });

    test.each(strangeIds)('an id of %s is one that nobody has', async (id) => {
      expectProblem(await world.client().send(`/session/${id}`), 404, 'not_found');
    });

    test('a line break in an id does not become one in the answer', async () => {
      const client = world.client();
      // A router may find no path with a line break in it, and answer for itself.
      const headers = { 'X-API-KEY': keyOf(client.tenant) };
      const reply = await send(world.origin, client.at('/session/x%0d%0aSet-Cookie:%20a=b'), {
        headers,
      });
      expect(reply.status).toBe(404);
      expect(reply.headers).not.toHaveProperty('set-cookie');
    });

    test.each(brokenEncodings)('an id of %s is 400 and names session_id', async (id) => {
      expectInvalid(await world.client().send(`/session/${id}`), 'session_id');
    });

    test('an id of more than 256 characters is 400 and names session_id', async () => {
      expectInvalid(await world.client().send(`/session/${'x'.repeat(257)}`), 'session_id');
    });

    test('an id may be percent-encoded', async () => {
      const client = world.client();
      const { id } = await client.created();
      const encoded = id.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
      expect((await client.send(`/session/${encoded}`)).json()).toHaveProperty('id', id);
    });

    test('a query after the id changes nothing', async () => {
      const client = world.client();
      const { id } = await client.created();
      expect((await client.send(`/session/${id}?limit=junk`)).status).toBe(200);
    });

    test('a record that cannot be read is 500, and the answer says nothing of what is wrong with it', async () => {
      const client = world.client();
      const { id } = await client.created();
      world.store.damage({ tenant: client.tenant, id }, 'head');
      const reply = await client.send(`/session/${id}`);
      expectProblem(reply, 500, 'corrupt_record');
      expect(reply.text).not.toContain('head');
    });
  });
};
