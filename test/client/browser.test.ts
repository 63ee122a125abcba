import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { nodeListener } from '../../adapters/node/index.js';
import { listening } from '../http/serve.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { bundleClient } from './bundle.js';
import { KEY, serve } from './served.js';

/** What a host adds to its answers for pages of another origin. */
const allowed = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'X-API-KEY, Content-Type, Idempotency-Key, Last-Event-ID, Prefer',
  'Access-Control-Expose-Headers':
    'X-Total-Count, X-Next-Cursor, X-Unreadable-Sessions, Link, Retry-After',
};

/** A conversation in a page, whose output is all that the test can see. */
const conversation = (client: string): string => `(async () => {
  const client = new colloquy.SessionClient(${client});
  const ok = (result) => {
    if (result.isErr()) throw new Error(JSON.stringify(result.error));
    return result.value;
  };
  const { id } = ok(await client.create({ face: 'ada', profile: 'tutor' }));
  const told = [];
  for await (const item of client.watch(id)) {
    const change = ok(item);
    told.push(change.type);
    if (change.type === 'session.snapshot') ok(await client.start(id));
    if (told.length === 2) ok(await client.append(id, [{ role: 'user', content: 'Grüß dich' }]));
    if (change.type === 'session.changed' && change.entries.length > 0) ok(await client.terminate(id));
  }
  const { total, sessions } = ok(await client.list({ limit: 1 }));
  return { told, total, content: sessions[0].history[0].content, gone: (await client.get('nobody')).error.type };
})()`;

const held = {
  told: ['session.snapshot', 'session.changed', 'session.changed', 'session.changed'],
  total: 1,
  content: 'Grüß dich',
  gone: 'not_found',
};

describeWithChromium('the client in a browser', (running) => {
  let code: string;
  beforeAll(async () => {
    ({ code } = await bundleClient());
  });

  const pageAt = async (url: string) => {
    const page = await running.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(url);
    await page.addScriptTag({ content: code });
    return page;
  };

  test('holds a conversation with its own server, without a key in the page', async () => {
    const { handler } = await serve();
    const serveApi = nodeListener(handler, {
      prefix: '/api',
      fallback: (_, response) =>
        response.setHeader('Content-Type', 'text/html').end('<!doctype html>'),
    });
    const server = await listening((request, response) => {
      request.headers['x-api-key'] = KEY;
      serveApi(request, response);
    });
    onTestFinished(() => server.close());
    const page = await pageAt(server.origin);
    expect(await page.evaluate(conversation("{ baseUrl: '/api', fetch: window.fetch }"))).toEqual(
      held,
    );
  });

  test('holds a conversation with a server of another origin that allows it', async () => {
    const { handler } = await serve();
    const serveApi = nodeListener(handler, { prefix: '/api' });
    const api = await listening((request, response) => {
      for (const [name, value] of Object.entries(allowed)) response.setHeader(name, value);
      if (request.method === 'OPTIONS') response.writeHead(204).end();
      else serveApi(request, response);
    });
    const host = await listening((_, response) => response.end('<!doctype html>'));
    onTestFinished(async () => {
      await api.close();
      await host.close();
    });
    const page = await pageAt(host.origin);
    const client = JSON.stringify({ baseUrl: `${api.origin}/api`, apiKey: KEY });
    expect(await page.evaluate(conversation(client))).toEqual(held);
  });

  test('returns an error, not an exception, from a server that does not allow its origin', async () => {
    const { baseUrl } = await serve();
    const host = await listening((_, response) => response.end('<!doctype html>'));
    onTestFinished(() => host.close());
    const page = await pageAt(host.origin);
    const client = JSON.stringify({ baseUrl, apiKey: KEY, retries: 0 });
    const read = await page.evaluate(
      `new colloquy.SessionClient(${client}).get('x').then(({ error }) => error.type)`,
    );
    expect(read).toBe('unreachable');
  });
});
