import { describe, expect, test } from 'vitest';
import { expectProblem } from '../problems.js';
import type { World } from '../world.js';

const wrongMethods = [
  ['GET', '/create-session', 'POST'],
  ['HEAD', '/create-session', 'POST'],
  ['PUT', '/create-session', 'POST'],
  ['POST', '/sessions', 'GET, HEAD'],
  ['DELETE', '/sessions', 'GET, HEAD'],
  ['PATCH', '/session/x', 'GET, HEAD'],
  ['OPTIONS', '/session/x', 'GET, HEAD'],
  ['GET', '/start-session/x', 'POST'],
  ['HEAD', '/pause-session/x', 'POST'],
  ['PUT', '/resume-session/x', 'POST'],
  ['PATCH', '/terminate-session/x', 'POST'],
  ['OPTIONS', '/fail-session/x', 'POST'],
  ['PUT', '/extend-session/x', 'POST'],
  ['PUT', '/update-session/x', 'POST'],
  ['GET', '/append-history/x', 'POST'],
  ['DELETE', '/delete-session/x', 'POST'],
] as const;

/** Paths that resemble ours. */
const otherPaths = [
  '/',
  '/session',
  '/session/',
  '/sessions/',
  '/sessions/x',
  '/session/a/b',
  '/create-session/',
  '/create-session/x',
  '/Sessions',
  '/CREATE-SESSION',
  '/session%2Fx',
  '/create%2Dsession',
  '/__proto__',
  '/constructor',
  '/sessionsx',
  '/xsessions',
  '/start-session',
  '/start-session/',
  '/start-session/a/b',
  '/Start-Session/x',
  '/expire-session/x',
  '/__proto__/x',
  '/constructor/x',
];

export const protocolCases = (world: World): void => {
  describe('methods and paths', () => {
    test.each(wrongMethods)('%s %s is 405 and Allow says %s', async (method, path, allow) => {
      const reply = await world.client().send(path, { method });
      expect([reply.status, reply.headers['allow']]).toEqual([405, allow]);
      expect(reply.headers['content-type']).toBe('application/json');
      if (method !== 'HEAD') expectProblem(reply, 405, 'method_not_allowed');
    });

    test.each(otherPaths)('%s is none of the operations', async (path) => {
      const reply = await world.client().send(path);
      expect(reply.status).toBe(404);
      expect(reply.text).not.toContain('"not_found"');
      expect(reply.headers).not.toHaveProperty('x-total-count');
    });

    test('a body of a GET is ignored', async () => {
      const outgoing = {
        headers: { 'Content-Type': 'application/json' },
        body: '{"limit":"junk"}',
      };
      expect((await world.client().send('/sessions', outgoing)).status).toBe(200);
    });

    test('HEAD of the list has the headers of GET, but no body and no length, for which the body would have to be made', async () => {
      const client = world.client();
      await client.createSeveral(2);
      const full = await client.send('/sessions?limit=1');
      const head = await client.send('/sessions?limit=1', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      const { 'content-length': _, ...headers } = full.headers;
      expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    });

    test('HEAD of a session has the headers of GET, but no body and no length', async () => {
      const client = world.client();
      const { id } = await client.created();
      const full = await client.send(`/session/${id}`);
      const head = await client.send(`/session/${id}`, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      const { 'content-length': _, ...headers } = full.headers;
      expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    });

    test('HEAD of what is wrong has the status and headers of GET', async () => {
      const client = world.client();
      const full = await client.send('/session/nobody-has-this');
      const head = await client.send('/session/nobody-has-this', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([404, '']);
      expect({ ...head.headers, date: '' }).toEqual({ ...full.headers, date: '' });
    });

    test('the length of an answer is told in bytes', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ face: '👋é', profile: '世界' })).json(),
      );
      const reply = await client.send(`/session/${id}`);
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
    });

    test('an error is written as JSON with nothing else in it than RFC 9457, code and errors', async () => {
      const reply = await world.client().create({});
      expect(reply.json()).toEqual({
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: 'face is required; profile is required',
        code: 'invalid_input',
        errors: [
          { path: 'face', message: 'is required' },
          { path: 'profile', message: 'is required' },
        ],
      });
    });
  });
};
