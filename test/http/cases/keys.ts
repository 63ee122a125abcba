import { describe, expect, test } from 'vitest';
import { expectProblem } from '../problems.js';
import { keyOf, minimal, type World } from '../world.js';

const body = JSON.stringify(minimal);
const json = { 'Content-Type': 'application/json' };

const operations = [
  ['create', 'POST', '/create-session'],
  ['list', 'GET', '/sessions'],
  ['get', 'GET', '/session/x'],
  ['start', 'POST', '/start-session/x'],
  ['extend', 'POST', '/extend-session/x'],
  ['update', 'POST', '/update-session/x'],
  ['append', 'POST', '/append-history/x'],
  ['rewind', 'POST', '/rewind-history/x'],
  ['delete', 'POST', '/delete-session/x'],
] as const;

export const apiKeyCases = (world: World): void => {
  describe('API keys', () => {
    test.each(operations)(
      'are required by %s, which answers 401 with how to authenticate',
      async (_name, method, path) => {
        const reply = await world
          .client()
          .anonymous(path, method === 'POST' ? { method, headers: json, body } : {});
        expectProblem(reply, 401, 'unauthenticated');
        expect(reply.headers['www-authenticate']).toBe('ApiKey');
      },
    );

    test.each(operations)(
      'are checked by %s, which answers a wrong key exactly like a missing one',
      async (_name, method, path) => {
        const client = world.client();
        const outgoing =
          method === 'POST' ? { method, headers: json, body } : { method, headers: {} };
        const without = await client.anonymous(path, outgoing);
        const wrong = { ...outgoing, headers: { ...outgoing.headers, 'X-API-KEY': 'wrong' } };
        const withWrong = await client.anonymous(path, wrong);
        expect(withWrong.status).toBe(without.status);
        expect(withWrong.text).toBe(without.text);
        expect({ ...withWrong.headers, date: '' }).toEqual({ ...without.headers, date: '' });
      },
    );

    test('must not be empty', async () => {
      expectProblem(
        await world.client().send('/sessions', { headers: { 'X-API-KEY': '' } }),
        401,
        'unauthenticated',
      );
    });

    test('are wrong if a request contains two, even if both are valid', async () => {
      const client = world.client();
      const headers = { 'X-API-KEY': [keyOf(client.tenant), keyOf('other')] };
      expectProblem(await client.anonymous('/sessions', { headers }), 401, 'unauthenticated');
    });

    test('may be sent in a header of any case', async () => {
      const client = world.client();
      const headers = { 'x-Api-Key': keyOf(client.tenant) };
      expect((await client.anonymous('/sessions', { headers })).status).toBe(200);
    });

    test('are ignored in the query, in a cookie or as a bearer token', async () => {
      const client = world.client();
      const key = keyOf(client.tenant);
      const headers = { Authorization: `Bearer ${key}`, Cookie: `X-API-KEY=${key}` };
      expectProblem(
        await client.anonymous(`/sessions?X-API-KEY=${key}`, { headers }),
        401,
        'unauthenticated',
      );
    });

    test('are checked before the method', async () => {
      expectProblem(
        await world.client().anonymous('/sessions', { method: 'DELETE' }),
        401,
        'unauthenticated',
      );
    });

    test('are checked before the query, the id and the media type', async () => {
      const client = world.client();
      expectProblem(await client.anonymous('/sessions?limit=junk'), 401, 'unauthenticated');
      expectProblem(await client.anonymous('/session/%zz'), 401, 'unauthenticated');
      expectProblem(
        await client.anonymous('/start-session/%zz', { method: 'POST' }),
        401,
        'unauthenticated',
      );
      const xml = { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: '<face/>' };
      expectProblem(await client.anonymous('/create-session', xml), 401, 'unauthenticated');
    });

    if (!world.parsesBodies) {
      test('are checked before the body', async () => {
        const broken = { method: 'POST', headers: json, body: '{' };
        expectProblem(
          await world.client().anonymous('/create-session', broken),
          401,
          'unauthenticated',
        );
      });
    }

    test("limit the list and its total to the tenant's sessions", async () => {
      const [ours, theirs] = [world.client(), world.client()];
      await theirs.createSeveral(3);
      const reply = await ours.send('/sessions');
      expect([reply.text, reply.headers['x-total-count']]).toEqual(['[]', '0']);
    });

    test("hide another tenant's session behind the same 404 as a missing one", async () => {
      const [ours, theirs] = [world.client(), world.client()];
      const { id } = await theirs.created();
      const foreign = await ours.send(`/session/${id}`);
      const unknown = await ours.send('/session/nobody-has-this');
      expectProblem(foreign, 404, 'not_found');
      expect(unknown.status).toBe(foreign.status);
      expect(unknown.text).toBe(foreign.text);
      expect({ ...unknown.headers, date: '' }).toEqual({ ...foreign.headers, date: '' });
    });
  });
};
