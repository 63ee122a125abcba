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
  describe('the HTTP protocol', () => {
    test.each(wrongMethods)('answers %s %s with 405 and Allow: %s', async (method, path, allow) => {
      const reply = await world.client().send(path, { method });
      expect([reply.status, reply.headers['allow']]).toEqual([405, allow]);
      expect(reply.headers['content-type']).toBe('application/json');
      if (method !== 'HEAD') expectProblem(reply, 405, 'method_not_allowed');
    });

    test.each(otherPaths)('answers %s with 404', async (path) => {
      const reply = await world.client().send(path);
      expect(reply.status).toBe(404);
      expect(reply.text).not.toContain('"not_found"');
      expect(reply.headers).not.toHaveProperty('x-total-count');
    });

    test('ignores the body of a GET', async () => {
      const outgoing = {
        headers: { 'Content-Type': 'application/json' },
        body: '{"limit":"junk"}',
      };
      expect((await world.client().send('/sessions', outgoing)).status).toBe(200);
    });

    test('answers HEAD of the list with the headers of GET, but without a length, which would need the body', async () => {
      const client = world.client();
      await client.createSeveral(2);
      const full = await client.send('/sessions?limit=1');
      const head = await client.send('/sessions?limit=1', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      const { 'content-length': _, ...headers } = full.headers;
      expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    });

    test('answers HEAD of a session with the headers of GET, but without a length', async () => {
      const client = world.client();
      const { id } = await client.created();
      const full = await client.send(`/session/${id}`);
      const head = await client.send(`/session/${id}`, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      const { 'content-length': _, ...headers } = full.headers;
      expect({ ...head.headers, date: '' }).toEqual({ ...headers, date: '' });
    });

    test('answers an invalid HEAD with the status and headers of GET', async () => {
      const client = world.client();
      const full = await client.send('/session/nobody-has-this');
      const head = await client.send('/session/nobody-has-this', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([404, '']);
      expect({ ...head.headers, date: '' }).toEqual({ ...full.headers, date: '' });
    });

    test('sends a Content-Length in bytes', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.create({ face: '👋é', profile: '世界' })).json(),
      );
      const reply = await client.send(`/session/${id}`);
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
    });

    test('sends errors as JSON with the members of RFC 9457, code and errors only', async () => {
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
