import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { handlerWith } from '../http/handler-harness.js';

const KIB = 1024;

const post = (body: ReadableStream<Uint8Array> | string | null): Request =>
  new Request('http://localhost/api/create-session', {
    method: 'POST',
    headers: { 'X-API-KEY': 'key', 'Content-Type': 'application/json' },
    body,
    duplex: 'half',
  });

const serve = fetchHandler(handlerWith().handler, { prefix: '/api' });

describe('the body of a Fetch request', () => {
  test('is read no further than the limit, and then cancelled', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * KIB));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    expect((await serve(post(endless))).status).toBe(413);
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(8);
  });

  test('may refuse to be cancelled', async () => {
    const stubborn = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(512 * KIB)),
      cancel: () => Promise.reject(new Error('no')),
    });
    expect((await serve(post(stubborn))).status).toBe(413);
  });

  test('that breaks off is 400', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('gone')),
    });
    expect((await serve(post(broken))).status).toBe(400);
  });

  test('that was read already is an error of the host', async () => {
    const request = post('{"face":"ada","profile":"tutor"}');
    await request.text();
    const response = await serve(request);
    expect([response.status, Object(await response.json()).code]).toEqual([500, 'misconfigured']);
  });

  test('that is being read is one too', async () => {
    const request = post('{"face":"ada","profile":"tutor"}');
    request.body?.getReader();
    const response = await serve(request);
    expect([response.status, Object(await response.json()).code]).toEqual([500, 'misconfigured']);
  });

  test('may not be there', async () => {
    expect((await serve(post(null))).status).toBe(400);
  });
});

describe('the answer to a Fetch request', () => {
  test('has its length, and for HEAD only the length, if it is known', async () => {
    const headers = { 'X-API-KEY': 'key' };
    const full = await serve(new Request('http://localhost/api/session/x', { headers }));
    const head = await serve(
      new Request('http://localhost/api/session/x', { method: 'HEAD', headers }),
    );
    expect(full.headers.get('Content-Length')).toBe(String((await full.text()).length));
    expect([head.body, Object.fromEntries(head.headers)]).toEqual([
      null,
      Object.fromEntries(full.headers),
    ]);
    const list = await serve(
      new Request('http://localhost/api/sessions', { method: 'HEAD', headers }),
    );
    expect([list.body, list.headers.has('Content-Length')]).toEqual([null, false]);
  });
});

describe('the URL of a Fetch request', () => {
  test('may have a fragment, which is ignored', async () => {
    const headers = { 'X-API-KEY': 'key' };
    const response = await serve(
      new Request('http://localhost/api/sessions?limit=3#page=9', { headers }),
    );
    expect([response.status, response.headers.get('Link')]).toEqual([
      200,
      expect.stringContaining('limit=3&page=1>'),
    ]);
  });

  test('is answered with 404 where it is none of the operations', async () => {
    const response = await serve(new Request('http://localhost/api'));
    expect([response.status, Object(await response.json()).code]).toEqual([404, 'route_not_found']);
  });
});
