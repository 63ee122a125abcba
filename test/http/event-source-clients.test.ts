import type { RequestListener } from 'node:http';
import { build } from 'esbuild';
import { EventSource } from 'eventsource';
import { expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { nodeListener } from '../../adapters/node/index.js';
import { createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithChromium } from '../support/describe-with-chromium.js';
import { REPOSITORY } from '../support/packed-package.js';
import { ada, okOf } from '../support/sessions.js';
import { listening } from './serve.js';

const TYPES = ['session.snapshot', 'session.changed', 'end'];

/**
 * What a client must receive: every event once, each with JSON data, and nothing for a heartbeat.
 */
const told = TYPES.map((type) => [type, true]);

/**
 * A session whose stream carries a heartbeat before anything happens to it, and a page that has the
 * cookie for it.
 */
const streaming = async () => {
  const sessions = new SessionService({
    store: new MemorySessionStore({ events: true }),
  }).forTenant('acme');
  const { id } = await okOf(sessions.create(ada));
  const handler = createSessionHandler({
    sessions: { forTenant: () => sessions },
    authenticate: (key, request) =>
      key === 'k' || request.header('cookie') === 'key=k' ? 'acme' : undefined,
    routes: [eventRoutes({ heartbeatMs: 1000 })],
  });
  let heartbeats = 0;
  const change = async () => {
    await okOf(sessions.terminate(id));
  };
  const serveApi = nodeListener(handler, {
    prefix: '/api',
    fallback: (_, response) => response.setHeader('Set-Cookie', 'key=k').end('<!doctype html>'),
  });
  const listener: RequestListener = (request, response) => {
    const write = response.write.bind(response);
    response.write = (chunk: Uint8Array) => {
      if (Buffer.from(chunk).toString().startsWith(': heartbeat')) {
        heartbeats += 1;
        if (heartbeats === 1) void change();
      }
      return write(chunk);
    };
    serveApi(request, response);
  };
  const server = await listening(listener);
  onTestFinished(() => server.close());
  return { origin: server.origin, path: `/api/session/${id}/events`, heartbeats: () => heartbeats };
};

/**
 * Collects what an `EventSource` hands out until the end, and whether it is JSON. It goes into a
 * page as its source.
 */
const collect = (source: EventSource, types: readonly string[]) =>
  new Promise<[string, boolean][]>((resolve) => {
    const seen: [string, boolean][] = [];
    const take = ({ type, data }: MessageEvent) => {
      let isJson = true;
      try {
        JSON.parse(data);
      } catch {
        isJson = false;
      }
      seen.push([type, isJson]);
      if (type !== 'end') return;
      source.close();
      resolve(seen);
    };
    for (const type of [...types, 'message']) source.addEventListener(type, take);
  });

/** Collects what `fetchEventSource` of @microsoft/fetch-event-source hands out until the end. */
const fetchAll = `async (path, headers) => {
  const seen = [];
  const over = new AbortController();
  await fetchEventSource(path, {
    headers,
    signal: over.signal,
    openWhenHidden: true,
    onmessage: ({ event, data }) => {
      JSON.parse(data);
      seen.push([event, true]);
      if (event === 'end') over.abort();
    },
    onerror: (cause) => { throw cause; },
  });
  return seen;
}`;

test('the eventsource package receives every event and no heartbeat', async () => {
  const { origin, path, heartbeats } = await streaming();
  const source = new EventSource(`${origin}${path}`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'X-API-KEY': 'k' } }),
  });
  expect(await collect(source, TYPES)).toEqual(told);
  expect(heartbeats()).toBeGreaterThan(0);
});

describeWithChromium('a browser', (running) => {
  const pageOf = async (origin: string) => {
    const page = await running.browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    return page;
  };

  test('receives every event and no heartbeat with EventSource and a cookie', async () => {
    const { origin, path } = await streaming();
    const page = await pageOf(origin);
    const types = JSON.stringify(TYPES);
    expect(await page.evaluate(`(${collect})(new EventSource('${path}'), ${types})`)).toEqual(told);
  });

  test('receives every event and no heartbeat with @microsoft/fetch-event-source and a key in a header', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: "export { fetchEventSource } from '@microsoft/fetch-event-source';",
        resolveDir: REPOSITORY,
      },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'library',
    });
    const { origin, path } = await streaming();
    const page = await pageOf(origin);
    await page.addScriptTag({
      content: `${outputFiles[0]?.text}; var { fetchEventSource } = library;`,
    });
    expect(await page.evaluate(`(${fetchAll})('${path}', { 'X-API-KEY': 'k' })`)).toEqual(told);
  });
});
