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
  test('is cancelled once it exceeds the limit', async () => {
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

  test('is rejected as too large even if its stream refuses to be cancelled', async () => {
    const stubborn = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(512 * KIB)),
      cancel: () => Promise.reject(new Error('no')),
    });
    expect((await serve(post(stubborn))).status).toBe(413);
  });

  test('answers 400 if its stream breaks off', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('gone')),
    });
    expect((await serve(post(broken))).status).toBe(400);
  });

  test('answers 500 misconfigured if the host has already read it', async () => {
    const request = post('{"face":"ada","profile":"tutor"}');
    await request.text();
    const response = await serve(request);
    expect([response.status, Object(await response.json()).code]).toEqual([500, 'misconfigured']);
  });

  test('answers 500 misconfigured if the host is reading it', async () => {
    const request = post('{"face":"ada","profile":"tutor"}');
    request.body?.getReader();
    const response = await serve(request);
    expect([response.status, Object(await response.json()).code]).toEqual([500, 'misconfigured']);
  });

  test('answers 400 if a required body is missing', async () => {
    expect((await serve(post(null))).status).toBe(400);
  });
});

describe('the answer to a Fetch request', () => {
  test('has its Content-Length, and for HEAD only the headers', async () => {
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
  test('may contain a fragment, which is ignored', async () => {
    const headers = { 'X-API-KEY': 'key' };
    const response = await serve(
      new Request('http://localhost/api/sessions?limit=3#page=9', { headers }),
    );
    expect([response.status, response.headers.get('Link')]).toEqual([
      200,
      expect.stringContaining('limit=3&page=1>'),
    ]);
  });

  test('answers 404 if it matches no operation', async () => {
    const response = await serve(new Request('http://localhost/api'));
    expect([response.status, Object(await response.json()).code]).toEqual([404, 'route_not_found']);
  });
});
