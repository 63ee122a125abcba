import type { GroupResult } from '../harness/measure.js';
import { type HttpSubject, measureHttp, startTarget, type Target } from './http-load.js';
import { API_KEY, type Context, expect, SERVED_SESSIONS, type Suite } from './suite.js';

/** An answer as it came, to be repeated by a listener that does nothing else, and to be compared with what that gives. */
const answerOf = async (target: Target, path: string, key?: string): Promise<string> => {
  const response = await fetch(target.url + path, key === undefined ? {} : { headers: { 'x-api-key': key } });
  const own = ['content-type', 'cache-control', 'x-total-count', 'link', 'www-authenticate'];
  const headers = Object.fromEntries(own.flatMap((name) => [[name, response.headers.get(name)]]).filter(([, v]) => v));
  return JSON.stringify({ status: response.status, headers, body: await response.text() });
};

const pathOf = (page: number): string => `/sessions?limit=10&page=${page}`;
const PAGE = pathOf(1);
const PAGES = SERVED_SESSIONS / 10;

/** Pages in a scattered order. Each connection begins where another is long after, so that none follows another. */
const anyPages = (connection: number): readonly string[] =>
  Array.from({ length: 64 }, (_, at) => pathOf(1 + (((connection * 31 + at) * 7919) % PAGES)));

const isPage = (answer: string): void => {
  const { status, headers, body }: { status: number; headers: Record<string, string>; body: string } =
    JSON.parse(answer);
  const sessions: readonly { readonly history: readonly unknown[] }[] = JSON.parse(body);
  expect(status === 200 && headers['x-total-count'] === `${SERVED_SESSIONS}`, 'the total');
  expect(sessions.length === 10 && sessions.every(({ history }) => history.length === 10), 'ten whole sessions');
};

async function measureAll({ redis, redisUrl, quick }: Context): Promise<readonly GroupResult[]> {
  const effort = quick ? { rounds: 2, seconds: 1 } : { rounds: 9, seconds: 2 };
  const results: GroupResult[] = [];
  const targets: Target[] = [];
  const start = async (...args: readonly string[]): Promise<Target> => {
    const target = await startTarget(...args);
    targets.push(target);
    return target;
  };
  /** A listener that is to give the very answer that the engine gives. */
  const startLike = async (answer: string, key: string, ...args: readonly string[]): Promise<Target> => {
    const target = await start(...args, answer);
    expect((await answerOf(target, PAGE, key)) === answer, 'the same bytes and headers');
    return target;
  };
  const asking = (name: string, target: Target, status: number, key?: string): HttpSubject => ({
    name,
    target,
    path: PAGE,
    status,
    ...(key === undefined ? {} : { key }),
  });
  try {
    const memory = await start('engine-memory');
    const page = await answerOf(memory, PAGE, API_KEY);
    isPage(page);
    const repeating = await startLike(page, API_KEY, 'repeat', '');
    const limit = 'node:http with the same bytes';
    results.push(
      await measureHttp(
        'HTTP list, memory store, page of 10, 10 entries',
        limit,
        [
          asking(limit, repeating, 200, API_KEY),
          asking('nodeListener', memory, 200, API_KEY),
          { ...asking('nodeListener, any page', memory, 200, API_KEY), paths: anyPages },
        ],
        effort,
      ),
    );
    const stranger = await startLike(await answerOf(memory, PAGE, 'wrong'), 'wrong', 'repeat', '');
    results.push(
      await measureHttp(
        'HTTP 401',
        limit,
        [
          asking(limit, stranger, 401, 'wrong'),
          asking('nodeListener, no key', memory, 401),
          asking('nodeListener, wrong key', memory, 401, 'wrong'),
        ],
        effort,
      ),
    );
    const engine = await start('engine-redis', redisUrl);
    const answer = await answerOf(engine, PAGE, API_KEY);
    isPage(answer);
    const { body }: { readonly body: string } = JSON.parse(answer);
    await redis.set('joined-page', body);
    const passing = await startLike(answer, API_KEY, 'pass-on', redisUrl);
    const redisLimit = 'node:http that GETs the joined page';
    results.push(
      await measureHttp(
        'HTTP list, Redis store, page of 10, 10 entries',
        redisLimit,
        [
          asking(redisLimit, passing, 200, API_KEY),
          asking('nodeListener', engine, 200, API_KEY),
          { ...asking('nodeListener, any page', engine, 200, API_KEY), paths: anyPages },
        ],
        effort,
      ),
    );
  } finally {
    for (const target of targets) await target.stop();
    await redis.flushdb();
  }
  return results;
}

export const http: Suite = { name: 'http', results: measureAll };
