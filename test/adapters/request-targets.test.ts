import type { RequestListener } from 'node:http';
import express from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import Koa from 'koa';
import mount from 'koa-mount';
import Koa2 from 'koa2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expressMiddleware } from '../../adapters/express/index.js';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { pathOf } from '../../adapters/node/node-request.js';
import { handlerWith } from '../http/handler-harness.js';
import { RawConnection } from '../http/raw.js';
import { listening } from '../http/serve.js';
import type { RunningServer } from '../http/world.js';

const { handler } = handlerWith();

const inExpress5 = (prefix: string): RequestListener => {
  const app = express().use(`${prefix}/sessions`, (_req, res) => {
    res.sendStatus(403);
  });
  return app.use(prefix || '/', expressMiddleware(handler));
};

const inExpress4 = (prefix: string): RequestListener => {
  const app = express4().use(`${prefix}/sessions`, (_req, res) => {
    res.sendStatus(403);
  });
  return app.use(prefix || '/', expressMiddleware(handler));
};

const inKoa =
  (framework: typeof Koa | typeof Koa2) =>
  (prefix: string): RequestListener => {
    const app = new framework();
    app.silent = true;
    app.use(async (context, next) => {
      if (context.path.startsWith(`${prefix}/sessions`)) context.status = 403;
      else await next();
    });
    app.use(prefix === '' ? koaMiddleware(handler) : mount(prefix, koaMiddleware(handler)));
    return app.callback();
  };

const hosts = [
  ['Express 5', inExpress5],
  ['Express 4', inExpress4],
  ['Koa 3', inKoa(Koa)],
  ['Koa 2', inKoa(Koa2)],
] as const;

const guarded = hosts.flatMap(([name, host]) =>
  ['', '/api'].map((prefix) => [name, prefix, host] as const),
);

/** Targets that hide the guarded path from one parser or another; `P` stands for the prefix. */
const disguises = [
  'http://x?a=P/sessions',
  'http://x?P/sessions',
  'http://xP?/sessions',
  'http://xP?a=/sessions',
  'http://x?/P/sessions',
  'http://x;P/sessions',
  'http://x;/sessions',
  'http://xP;/sessions',
  "http://x'P/sessions",
  'http://x%2fP/sessions',
  'http://x%00P/sessions',
  'http://x:80:80P/sessions',
  'http://x:aP/sessions',
  'http://a@b?cP/sessions',
  'http://xn--P/sessions',
  'http://[xP/sessions',
  '*://xP/sessions',
  'javascript://xP/sessions',
  'x://?P/sessions',
  '//xP/sessions',
  '/xP/..P/sessions',
  '/.P/sessions',
] as const;

/** Statuses only, since the host words its own responses. */
const statusOf = async (server: RunningServer, target: string): Promise<string> => {
  const connection = new RawConnection(server.origin);
  connection.write(
    Buffer.from(
      `GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-KEY: key\r\nConnection: close\r\n\r\n`,
      'latin1',
    ),
  );
  await connection.closed();
  return connection.received.slice(9, 12);
};

describe.each(guarded)(
  "the mount for %s behind a host's guard on %s/sessions",
  (_name, prefix, host) => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await listening(host(prefix));
    });
    afterAll(() => server.close());

    test('is guarded wherever the handler would serve the path', async () => {
      const plain = ['/sessions', '/sessions?limit=1'].map((path) => prefix + path);
      const absolute = ['http://x', 'HTTPS://x:80', 'http://[::1]:80', 'http://x_y'].flatMap(
        (origin) => plain.map((path) => origin + path),
      );
      for (const target of [...plain, ...absolute])
        expect([target, await statusOf(server, target)]).toEqual([target, '403']);
      for (const origin of ['', 'http://x']) {
        expect([origin, await statusOf(server, `${origin}${prefix}/session/none`)]).toEqual([
          origin,
          '404',
        ]);
      }
    });

    test.each(disguises)('is not reached past the guard by %s', async (disguise) => {
      expect(await statusOf(server, disguise.replaceAll('P', prefix))).toMatch(/^[345]/);
    });

    test('is not reached past the guard by any combination of path parts', async () => {
      const part = fc.constantFrom(
        'http://',
        'x',
        '/',
        '?',
        ';',
        ':',
        '@',
        '%2f',
        '.',
        '..',
        prefix,
        '/sessions',
        'a=',
        '[',
        ']',
        '&',
        '*',
        '80',
      );
      await fc.assert(
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 9 }), async (parts) => {
          expect(await statusOf(server, `http://x${parts.join('')}`)).not.toBe('200');
          expect(await statusOf(server, parts.join(''))).not.toBe('200');
        }),
        { numRuns: 100, seed: 1 },
      );
    });
  },
);

describe('the path of a request target', () => {
  test.each([
    ['/sessions', '/sessions'],
    ['/sessions?limit=1', '/sessions?limit=1'],
    ['http://x/sessions', '/sessions'],
    ['HTTPS://x.example:8080/sessions?page=2', '/sessions?page=2'],
    ['http://[::1]:80/sessions', '/sessions'],
    ['http://x', '/'],
    ['http://x?a=/sessions', '/?a=/sessions'],
    ['http://x#/sessions', '/#/sessions'],
    ['http://', 'http://'],
    ['http:///sessions', 'http:///sessions'],
    ['http://x;/sessions', 'http://x;/sessions'],
    ['http://user:secret@x/sessions', 'http://user:secret@x/sessions'],
    ['*://x/sessions', '*://x/sessions'],
    ['ftp://x/sessions', 'ftp://x/sessions'],
    ['*', '*'],
    ['', ''],
  ])('%s becomes %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });
});
