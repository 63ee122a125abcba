import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { pathOf } from '../../adapters/fetch/fetch-request.js';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { handlerWith } from '../http/handler-harness.js';

const { handler } = handlerWith();

const create = {
  method: 'POST',
  headers: { 'X-API-KEY': 'key', 'Content-Type': 'application/json' },
  body: '{"face":"ada","profile":"tutor"}',
};

describe('a Fetch host that strips a part of the path', () => {
  test('names it in basePath, so that Location and Link contain it', async () => {
    const app = new Hono().mount('/api', fetchHandler(handler, { basePath: 'api/' }));
    const created = await app.request('/api/create-session', create);
    const location = String(created.headers.get('Location'));
    expect([created.status, location]).toEqual([
      201,
      expect.stringMatching(/^\/api\/session\/[\w-]+$/),
    ]);
    const headers = { 'X-API-KEY': 'key' };
    expect((await app.request(location, { headers })).status).toBe(200);
    const listed = await app.request('/api/sessions?limit=1', { headers });
    expect(listed.headers.get('Link')).toContain('</api/sessions?limit=1&page=1>');
  });

  test('may leave a prefix for the handler to strip', async () => {
    const serve = fetchHandler(handler, { basePath: '/outer', prefix: '/inner' });
    const created = await serve(new Request('http://localhost/inner/create-session', create));
    expect(created.headers.get('Location')).toMatch(/^\/outer\/inner\/session\/[\w-]+$/);
    expect(
      (await serve(new Request('http://localhost/outer/inner/create-session', create))).status,
    ).toBe(404);
  });
});

describe('the path of a Fetch URL', () => {
  test.each([
    ['http://x/sessions?limit=1', '/sessions?limit=1'],
    ['https://x:80/sessions#part', '/sessions'],
    ['http://x', '/'],
    ['http://x?a=/sessions', '/?a=/sessions'],
    ['http://x#/sessions', '/'],
    ['http+unix://socket/sessions', '/sessions'],
  ])('%s becomes %s', (url, path) => {
    expect(pathOf(url)).toBe(path);
  });
});
