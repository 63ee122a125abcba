import { execFile } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { RedisSessionStore, SessionService } from '../colloquy.js';
import { seedSession, utterances } from '../seed.js';
import { pageText } from './pages.js';
import { type Context, type Count, expect, type Suite } from './suite.js';

const ENTRIES = 10;

/**
 * What Redis keeps of a session whose entries came one by one, as in a conversation, beside its
 * JSON text.
 */
const redisSpace = async ({ redis, quick }: Context): Promise<readonly Count[]> => {
  const sessions = new SessionService({ store: new RedisSessionStore({ client: redis }) });
  const next = utterances(1);
  const sample = quick ? 100 : 1000;
  const ids: string[] = [];
  let json = 0;
  for (let session = 0; session < sample; session += 1) {
    const id = await seedSession(sessions, 0, session);
    for (let turn = 0; turn < ENTRIES; turn += 1) {
      const role = turn % 2 === 0 ? 'user' : 'assistant';
      expect((await sessions.append(id, [{ role, content: next() }])).isOk(), 'an append');
    }
    const found = await sessions.get(id);
    ids.push(id);
    if (found.isOk()) json += Buffer.byteLength(pageText([found.value])) - 2;
  }
  /** Without what recognises writes: it is gone after some seconds. */
  const used = async (): Promise<number> => {
    let bytes = 0;
    for (const key of await redis.keys('*')) {
      if (!key.includes(':write:'))
        bytes += Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
    }
    return bytes / sample;
  };
  const [write = ''] = await redis.keys('*:write:*');
  const ofWrite = Number(await redis.call('MEMORY', 'USAGE', write));
  const live = await used();
  for (const id of ids) expect((await sessions.terminate(id)).isOk(), 'an end');
  const ended = await used();
  await redis.flushdb();
  return [
    { figure: 'Redis memory of a live session with 10 entries', value: live, unit: 'bytes' },
    { figure: 'Redis memory of an ended session with 10 entries', value: ended, unit: 'bytes' },
    {
      figure: 'Redis memory that recognises a write for some seconds',
      value: ofWrite,
      unit: 'bytes',
    },
    { figure: 'JSON text of a session with 10 entries', value: json / sample, unit: 'bytes' },
  ];
};

const memorySpace = async ({ quick }: Context): Promise<readonly Count[]> => {
  const count = quick ? 5000 : 1_000_000;
  const file = fileURLToPath(new URL('memory-heap.js', import.meta.url));
  const options = ['--expose-gc', '--max-old-space-size=8000'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...options,
    file,
    String(count),
    String(ENTRIES),
  ]);
  return [
    {
      figure: `heap of a session with 10 entries, ${count} sessions in memory`,
      value: Number(stdout),
      unit: 'bytes',
    },
  ];
};

/**
 * Counts what goes to the server while one page is listed. What is sent in one flight arrives as
 * one piece.
 */
const roundTrips = async ({ redisUrl, redis }: Context): Promise<readonly Count[]> => {
  const { hostname, port } = new URL(redisUrl);
  let flights = 0;
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    const upstream = connect(Number(port || 6379), hostname);
    sockets.push(client, upstream);
    client.on('data', (chunk) => {
      flights += 1;
      upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const through = new URL(redisUrl);
  through.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const counted = async (url: URL): Promise<number> => {
    const client = new Redis(url.href);
    const sessions = new SessionService({ store: new RedisSessionStore({ client }) });
    expect((await sessions.list()).isOk(), 'a list');
    flights = 0;
    expect((await sessions.list()).unwrapOr(undefined)?.sessions.length === 10, 'a page of 10');
    client.disconnect();
    return flights;
  };
  // One more than a page: a full page that ends its list is read again, since only that shows that
  // it does.
  for (let seed = 0; seed < 11; seed += 1) {
    await seedSession(
      new SessionService({ store: new RedisSessionStore({ client: redis }) }),
      10,
      seed,
    );
  }
  const listed = await counted(through);
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await redis.flushdb();
  return [{ figure: 'round trips of one Redis list', value: listed, unit: 'flights' }];
};

export const spaceSuites: readonly Suite[] = [
  { name: 'redis-space', counts: redisSpace },
  { name: 'memory-space', counts: memorySpace },
  { name: 'round-trips', counts: roundTrips },
];
