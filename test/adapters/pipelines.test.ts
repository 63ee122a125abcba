import type { RequestListener } from 'node:http';
import express from 'express';
import Koa from 'koa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expressMiddleware } from '../../adapters/express/index.js';
import { koaMiddleware } from '../../adapters/koa/index.js';
import { MAX_WAITING } from '../../adapters/node/in-turn.js';
import type { SessionHandler } from '../../src/http/index.js';
import { RawConnection } from '../http/raw.js';
import { listening } from '../http/serve.js';
import { turns, until } from '../support/event-loop.js';
import { nodeMounts } from './mounts.js';

/** What Node reads in one chunk. */
const READ_BYTES = 64 * 1024;

/** A handler whose work takes as long as the test says, and what it has been asked. */
const working = (work: (url: string) => Promise<void>) => {
  const seen = { begun: [] as string[], inWork: 0, most: 0 };
  const handler: SessionHandler = async ({ url }) => {
    seen.begun.push(url);
    seen.inWork += 1;
    seen.most = Math.max(seen.most, seen.inWork);
    await work(url);
    seen.inWork -= 1;
    return { status: 200, headers: {}, body: url };
  };
  return { seen, handler };
};

const held = () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release: () => release(), released };
};

const paths = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `/${at}`);

/** A number of requests for `/0`, `/1` ..., each with a minimum number of bytes. */
const pipeline = (count: number, length = 0): string =>
  paths(count)
    .map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(length)}\r\n\r\n`)
    .join('');

const served = async (listener: RequestListener) => {
  let handedOver = 0;
  const server = await listening((req, res) => {
    handedOver += 1;
    listener(req, res);
  });
  onTestFinished(() => server.close());
  return { origin: server.origin, handedOver: () => handedOver };
};

const bodiesOf = (answers: readonly string[]): readonly (string | undefined)[] =>
  answers.map((answer) => answer.split('\r\n\r\n')[1]);

describe.each(nodeMounts)('pipelined requests on one connection, mounted by %s', (_name, mount) => {
  test('are processed one after another, and answered in order', async () => {
    const { seen, handler } = working(() => turns(3));
    const { origin } = await served(mount(handler));
    const connection = new RawConnection(origin);
    connection.write(pipeline(60));
    expect(bodiesOf(await connection.answers(60))).toEqual(paths(60));
    expect(seen.most).toBe(1);
    connection.destroy();
  });

  test('never wait for requests of other connections', async () => {
    const { release, released } = held();
    const { handler } = working((url) => (url === '/0' ? released : turns(0)));
    const { origin } = await served(mount(handler));
    const [first, second] = [new RawConnection(origin), new RawConnection(origin)];
    first.write(pipeline(2));
    second.write(pipeline(3).replace('/0', '/other'));
    expect(bodiesOf(await second.answers(3))).toEqual(['/other', '/1', '/2']);
    release();
    expect(bodiesOf(await first.answers(2))).toEqual(['/0', '/1']);
    first.destroy();
    second.destroy();
  });

  test('are not read ahead by more than one read during the first request, and are all answered', async () => {
    const [count, length] = [2000, 128];
    const { release, released } = held();
    const { seen, handler } = working((url) => (url === '/0' ? released : turns(0)));
    const { origin, handedOver } = await served(mount(handler));
    const connection = new RawConnection(origin);
    connection.write(pipeline(count, length));
    await until(() => handedOver() > 1);
    await turns(300);
    expect(handedOver()).toBeLessThanOrEqual(1 + (2 * READ_BYTES) / length);
    expect(seen.begun).toEqual(['/0']);
    release();
    expect(bodiesOf(await connection.answers(count))).toEqual(paths(count));
    expect(seen.most).toBe(1);
    connection.destroy();
  });

  test('are not started after their client has disconnected', async () => {
    const { release, released } = held();
    const { seen, handler } = working((url) => (url === '/0' ? released : turns(0)));
    const { origin, handedOver } = await served(mount(handler));
    const connection = new RawConnection(origin);
    connection.write(pipeline(10));
    await until(() => handedOver() === 10);
    connection.destroy();
    await connection.closed();
    release();
    const other = new RawConnection(origin);
    other.write(pipeline(3).replaceAll('GET /', 'GET /other-'));
    expect(await other.answers(3)).toHaveLength(3);
    // That a client is gone may show only when its first answer is sent.
    expect(seen.begun.filter((url) => !url.startsWith('/other')).length).toBeLessThanOrEqual(2);
    other.destroy();
  });

  test('close the connection that exceeds their total limit, which no other client notices', async () => {
    const { release, released } = held();
    const { seen, handler } = working((url) => (url === '/0' ? released : turns(0)));
    const { origin, handedOver } = await served(mount(handler));
    const small = pipeline(2000);
    const connections = Array.from({ length: 8 }, () => new RawConnection(origin));
    for (const connection of connections) connection.write(small);
    await until(() => handedOver() > MAX_WAITING);
    await Promise.race(connections.map((connection) => connection.closed()));
    const other = new RawConnection(origin);
    other.write(pipeline(1).replace('/0', '/other'));
    expect(bodiesOf(await other.answers(1))).toEqual(['/other']);
    expect(seen.begun.every((url) => url === '/0' || url === '/other')).toBe(true);
    for (const connection of connections) connection.destroy();
    release();
    await Promise.all(connections.map((connection) => connection.closed()));
    other.write(pipeline(100));
    expect(await other.answers(101)).toHaveLength(101);
    other.destroy();
  });
});

describe('a host whose middleware lets one request overtake another', () => {
  const wait = (url: string | undefined) => turns(url === '/0' ? 20 : 0);

  const hosts: typeof nodeMounts = [
    [
      'Express',
      (handler) =>
        express().use(
          (req, _res, next) => void wait(req.url).then(() => next()),
          expressMiddleware(handler),
        ),
    ],
    [
      'Koa',
      (handler) => {
        const app = Object.assign(new Koa(), { silent: true });
        app.use(async (context, next) => {
          await wait(context.url);
          await next();
        });
        return app.use(koaMiddleware(handler)).callback();
      },
    ],
  ];

  test.each(hosts)('still answers all pipelined requests in order: %s', async (_name, mount) => {
    const { seen, handler } = working(() => turns(3));
    const { origin } = await served(mount(handler));
    const connection = new RawConnection(origin);
    connection.write(pipeline(20));
    expect(bodiesOf(await connection.answers(20))).toEqual(paths(20));
    expect([seen.most, seen.begun]).toEqual([1, paths(20)]);
    connection.destroy();
  });

  test('regains control of a waiting Koa request, even if its client disconnects', async () => {
    const { release, released } = held();
    const { handler } = working(() => released);
    let left = 0;
    const app = Object.assign(new Koa(), { silent: true });
    app.use(async (_context, next) => {
      await next().finally(() => {
        left += 1;
      });
    });
    const { origin, handedOver } = await served(app.use(koaMiddleware(handler)).callback());
    const connection = new RawConnection(origin);
    connection.write(pipeline(5));
    await until(() => handedOver() === 5);
    connection.destroy();
    release();
    await until(() => left === 5);
  });
});
