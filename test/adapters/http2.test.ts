import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  type SessionHandler,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { send } from '../http/client.js';
import { ada, okOf } from '../support/sessions.js';

const json = { 'content-type': 'application/json' };

const mounts = [
  ['node:http', (handler: SessionHandler) => nodeListener(handler)],
  ['Koa', (handler: SessionHandler) => new Koa().use(koaMiddleware(handler)).callback()],
] as const;

const listeningOn = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** One session behind both versions of HTTP. */
const served = async (mount: (handler: SessionHandler) => RequestListener) => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'default',
    routes: [commandRoutes(), historyRoutes(), eventRoutes()],
  });
  const listener = mount(handler);
  const http1 = await listeningOn(createServer(listener));
  // Node's own types do not say that a listener of node:http serves HTTP/2 too.
  const http2 = createHttp2Server(listener as unknown as Parameters<typeof createHttp2Server>[0]);
  const client = connect(await listeningOn(http2));
  onTestFinished(() => client.destroy());
  const ask = async (method: string, path: string, body?: string, headers = json) => {
    const stream = client.request(
      { ':method': method, ':path': path, ...(body !== undefined && headers) },
      { endStream: body === undefined },
    );
    onTestFinished(() => void stream.destroy());
    stream.on('error', () => undefined);
    if (body !== undefined) stream.end(body);
    const [answered]: IncomingHttpHeaders[] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return { headers: answered ?? {}, text, stream };
  };
  return { id, sessions, http1, client, ask };
};

describe.each(mounts)('the mount for %s over HTTP/2', (_, mount) => {
  test.each([
    ['GET', '/sessions'],
    ['HEAD', '/sessions'],
    ['GET', '/session/ID'],
    ['HEAD', '/session/ID'],
    ['GET', '/session/ID/history'],
    ['HEAD', '/session/ID/history'],
    ['GET', '/session/nobody'],
    ['HEAD', '/session/nobody'],
    ['HEAD', '/session/nobody/events'],
    ['GET', '/start-session/ID'],
    ['POST', '/pause-session/ID'],
  ])('answers %s %s as over HTTP/1.1, without a Node warning', async (method, template) => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => void warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const { id, http1, ask, sessions } = await served(mount);
    const path = template.replace('ID', id);
    const known = await send(http1, path, { method });
    if (method === 'POST') await okOf(sessions.resume(id));
    const { headers, text } = await ask(method, path);
    expect(headers[':status']).toBe(known.status);
    for (const name of ['content-type', 'allow', 'x-total-count'])
      expect([name, headers[name]]).toEqual([name, known.headers[name]]);
    // The state after a command has another revision, of another length.
    const length = method === 'POST' ? String(text.length) : known.headers['content-length'];
    expect(headers['content-length']).toBe(length);
    if (method !== 'POST') expect(text).toBe(known.text);
    // Node emits a warning on its own turn.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  test('rejects a body that is too large or of another media type, and keeps the connection usable', async () => {
    const { id, ask } = await served(mount);
    const large = `{"face":"${'x'.repeat(3_000_000)}"}`;
    const tooLarge = await ask('POST', '/create-session', large);
    expect([tooLarge.headers[':status'], tooLarge.text]).toEqual([
      413,
      expect.stringContaining('body_too_large'),
    ]);
    const other = await ask('POST', '/create-session', large, { 'content-type': 'text/plain' });
    expect(other.headers[':status']).toBe(415);
    const created = await ask('POST', '/create-session', JSON.stringify(ada));
    expect(created.headers[':status']).toBe(201);
    expect((await ask('GET', `/session/${id}`)).headers[':status']).toBe(200);
  });

  test('streams events, and notices when the client disconnects', async () => {
    const { id, client, sessions } = await served(mount);
    const stream = client.request({ ':path': `/session/${id}/events` }).setEncoding('utf8');
    let text = '';
    for await (const chunk of stream) {
      text += chunk;
      if (text.includes('event: session.snapshot')) await okOf(sessions.terminate(id));
    }
    expect(text).toContain('event: end');
  });
});
