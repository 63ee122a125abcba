import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import Koa2 from 'koa2';
import { expressMiddleware } from '../../../adapters/express/index.js';
import { fetchHandler } from '../../../adapters/fetch/index.js';
import { koaMiddleware } from '../../../adapters/koa/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { listen } from '../../../src/cli/listen.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  type SessionHandler,
  staticApiKeys,
} from '../../../src/http/index.js';
import { SessionService } from '../../../src/index.js';

/**
 * `hostile-host.cjs MOUNT KEY`: serves sessions through one mount, next to two routes of the host,
 * one of them in two steps. Prints its port, the id of a live session and the id of an ended one.
 * Answers any message with its memory figures, and exits when its parent does.
 */
export interface HostReady {
  readonly port: number;
  readonly live: string;
  readonly ended: string;
}

export interface HostReport {
  /** Current bytes, after a garbage collection with `--expose-gc`. */
  readonly rss: number;
  /** Peak bytes. */
  readonly peakRss: number;
  readonly warnings: readonly string[];
}

/**
 * On Linux, `maxRSS` starts with the value of the parent process; the kernel's own figure starts
 * anew.
 */
const peakRss = (): number => {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const [, kib = '0'] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1024;
};

const inSteps: RequestListener = (_req, res) => {
  res.writeHead(200, { 'Content-Length': 2 });
  res.write('a');
  setTimeout(() => res.end('b'), 1);
};

const late: RequestListener = (_req, res) => {
  setImmediate(() => res.end('late'));
};

const own: RequestListener = (req, res) => {
  if (req.url === '/steps') inSteps(req, res);
  else late(req, res);
};

const ownInExpress: RequestHandler = (req, res) => own(req, res);

const inKoa =
  (release: typeof Koa | typeof Koa2) =>
  (handler: SessionHandler): Server => {
    const app = new release();
    app.silent = true;
    app.use(koaMiddleware(handler));
    app.use(async (context) => {
      await new Promise(setImmediate);
      context.body = 'late';
    });
    return createServer(app.callback());
  };

const inFastify = async (handler: SessionHandler): Promise<Server> => {
  const server = createServer();
  const app = fastify({
    serverFactory: (fallback) => server.on('request', nodeListener(handler, { fallback })),
  });
  app.get('/late', async () => 'late');
  await app.ready();
  return server;
};

const hosts: Readonly<Record<string, (handler: SessionHandler) => Server | Promise<Server>>> = {
  'node:http': (handler) => createServer(nodeListener(handler, { fallback: own })),
  'Express 5': (handler) => createServer(express().use(expressMiddleware(handler), ownInExpress)),
  'Express 5 with a parser': (handler) =>
    createServer(express().use(express.json(), expressMiddleware(handler), ownInExpress)),
  'Express 4': (handler) => createServer(express4().use(expressMiddleware(handler), own)),
  'Koa 3': inKoa(Koa),
  'Koa 2': inKoa(Koa2),
  Fastify: inFastify,
  Fetch: (handler) => createServer(getRequestListener(fetchHandler(handler))),
};

const [mount = '', key = ''] = process.argv.slice(2);
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
const handler = createSessionHandler({
  sessions,
  authenticate: staticApiKeys([{ key, tenant: 'default' }]),
  routes: [commandRoutes(), eventRoutes()],
});

const create = async (): Promise<string> => {
  const created = await sessions.create({
    face: 'ada',
    profile: 'tutor',
    context: 'x'.repeat(10_000),
  });
  if (created.isErr()) throw new Error(created.error.message);
  return created.value.id;
};

const portOf = async (): Promise<number> => {
  const place = { host: '127.0.0.1', port: 0 };
  if (mount === 'colloquy serve') {
    const { origin } = await listen(nodeListener(handler), place.host, place.port);
    return Number(new URL(origin).port);
  }
  const make = hosts[mount];
  if (make === undefined) throw new Error(`there is no mount ${mount}`);
  const server = await make(handler);
  await new Promise<void>((resolve) => server.listen(place, () => resolve()));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address');
  return address.port;
};

const ready = async (): Promise<HostReady> => {
  const [live, ended] = [await create(), await create()];
  await sessions.terminate(ended);
  return { port: await portOf(), live, ended };
};

process.on('message', () => {
  globalThis.gc?.();
  const report: HostReport = {
    rss: process.memoryUsage.rss(),
    peakRss: peakRss(),
    warnings,
  };
  process.send?.(JSON.stringify(report));
});
process.on('disconnect', () => process.exit());

ready().then(
  (told) => process.send?.(JSON.stringify(told)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
