import { serviceOf } from '../clock.js';
import { RedisSessionStore } from '../colloquy.js';
import type { GroupResult } from '../harness/measure.js';
import { type HttpSubject, measureHttp, startTarget, type Target } from './http-load.js';
import { joinPages, keepByHand } from './joined.js';
import { API_KEY, type Context, expect, type Suite } from './suite.js';

const SAME_SERVICE = 'the same service, listed and stringified by hand';

const pathOf = (page: number): string => `/sessions?limit=10&page=${page}`;

/**
 * Pages in a scattered order. Each connection begins where another is long after, so that none
 * follows another.
 */
const anyPages =
  (pages: number) =>
  (connection: number): readonly string[] =>
    Array.from({ length: 64 }, (_, at) => pathOf(1 + (((connection * 31 + at) * 7919) % pages)));

/**
 * An answer as it came, to be repeated by a listener that does nothing else, and to be compared
 * with what that gives.
 */
const answerOf = async (target: Target, path: string, key?: string): Promise<string> => {
  const response = await fetch(
    target.url + path,
    key === undefined ? {} : { headers: { 'x-api-key': key } },
  );
  const own = ['content-type', 'cache-control', 'x-total-count', 'link', 'www-authenticate'];
  const headers = Object.fromEntries(
    own.flatMap((name) => [[name, response.headers.get(name)]]).filter(([, v]) => v),
  );
  return JSON.stringify({ status: response.status, headers, body: await response.text() });
};

/** Looks at some answers: whole pages of ten. */
const checkPages = async ({ url }: Target, total: number): Promise<void> => {
  for (const page of [1, total / 20, total / 10]) {
    const response = await fetch(url + pathOf(page), { headers: { 'x-api-key': API_KEY } });
    expect(
      response.status === 200 && response.headers.get('x-total-count') === `${total}`,
      'the total',
    );
    const sessions: readonly { readonly history: readonly unknown[] }[] = JSON.parse(
      await response.text(),
    );
    expect(
      sessions.length === 10 && sessions.every(({ history }) => history.length === 10),
      'ten whole sessions',
    );
  }
};

/**
 * What two servers with sessions of their own have in common: the headers of a page, without the
 * cursor to the next one.
 */
const headersOf = async ({ url }: Target, page: number): Promise<string> => {
  const { headers } = await fetch(url + pathOf(page), { headers: { 'x-api-key': API_KEY } });
  const fixed = ['content-type', 'cache-control', 'x-total-count', 'link'].map((name) =>
    headers.get(name),
  );
  return JSON.stringify([...headers.keys(), ...fixed]);
};

async function measureAll({
  redis,
  redisUrl,
  quick,
  rounds,
}: Context): Promise<readonly GroupResult[]> {
  const effort = { rounds: Math.min(rounds, quick ? 1 : 9), seconds: quick ? 0.2 : 2 };
  const total = quick ? 200 : 10_000;
  const targets: Target[] = [];
  const start = async (...args: readonly string[]): Promise<Target> => {
    const target = await startTarget(...args);
    targets.push(target);
    return target;
  };
  /** A server that lists any page, after a check of its answers. */
  const listing = async (name: string, role: string): Promise<HttpSubject> => {
    const target = await start(role, `${total}`, redisUrl);
    await checkPages(target, total);
    return {
      name,
      target,
      path: pathOf(1),
      paths: anyPages(total / 10),
      key: API_KEY,
      status: 200,
    };
  };
  try {
    const fromMemory = [
      await listing('the bytes of a page', 'joined-memory'),
      await listing('slice and JSON.stringify by hand', 'by-hand-memory'),
      await listing(SAME_SERVICE, 'listed-memory'),
      await listing('nodeListener', 'engine-memory'),
    ];
    const limits = fromMemory.slice(0, -1).map(({ name }) => name);
    for (const page of [1, 2, total / 10]) {
      const [bare, own] = await Promise.all(
        fromMemory.slice(-2).map(({ target }) => headersOf(target, page)),
      );
      expect(bare === own, 'the same headers');
    }
    const memory = await measureHttp(
      'HTTP list, memory, any page of 10, 10 entries',
      limits,
      fromMemory,
      effort,
    );
    const engine = fromMemory.at(-1)?.target ?? (await start('engine-memory', '0'));
    const refusal = await answerOf(engine, pathOf(1), 'wrong');
    const stranger = await start('repeat', '0', '', refusal);
    expect(
      (await answerOf(stranger, pathOf(1), 'wrong')) === refusal,
      'the same bytes and headers',
    );
    const same = 'the same bytes';
    const refused = { path: pathOf(1), status: 401 };
    const unauthorized = await measureHttp(
      'HTTP 401',
      [same],
      [
        { ...refused, name: same, target: stranger, key: 'wrong' },
        { ...refused, name: 'nodeListener, no key', target: engine },
        { ...refused, name: 'nodeListener, wrong key', target: engine, key: 'wrong' },
      ],
      effort,
    );
    const onRedis = await listing('nodeListener', 'engine-redis');
    const sessions = serviceOf(new RedisSessionStore({ client: redis }));
    await joinPages(redis, sessions, { total, limit: 10 });
    await keepByHand(redis, sessions);
    const fromRedis = [
      await listing('GET of the joined page', 'joined-redis'),
      await listing('ZREVRANGE, MGET, JSON.parse and JSON.stringify by hand', 'by-hand-redis'),
      onRedis,
    ];
    const redisLimits = fromRedis.slice(0, 2).map(({ name }) => name);
    const stored = await measureHttp(
      'HTTP list, Redis, any page of 10, 10 entries',
      redisLimits,
      fromRedis,
      effort,
    );
    return [memory, stored, unauthorized];
  } finally {
    for (const target of targets) await target.stop();
    await redis.flushdb();
  }
}

export const http: Suite = { name: 'http', results: measureAll };
