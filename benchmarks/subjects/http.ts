import type { GroupResult } from '../harness/measure.js';
import { type HttpSubject, measureHttp, startTarget, type Target } from './http-load.js';
import { API_KEY, type Context, type Suite } from './suite.js';

/** An answer as it came, to be repeated by a listener that does nothing else. */
const answerOf = async (target: Target, path: string, key?: string): Promise<string> => {
  const response = await fetch(target.url + path, key === undefined ? {} : { headers: { 'x-api-key': key } });
  const own = ['content-type', 'cache-control', 'x-total-count', 'link', 'www-authenticate'];
  const headers = Object.fromEntries(own.flatMap((name) => [[name, response.headers.get(name)]]).filter(([, v]) => v));
  return JSON.stringify({ status: response.status, headers, body: await response.text() });
};

const PAGE = '/sessions?limit=10&page=1';

async function measureAll({ redis, redisUrl, quick }: Context): Promise<readonly GroupResult[]> {
  const effort = quick ? { rounds: 2, seconds: 1 } : { rounds: 9, seconds: 2 };
  const results: GroupResult[] = [];
  const targets: Target[] = [];
  const start = async (...args: readonly string[]): Promise<Target> => {
    const target = await startTarget(...args);
    targets.push(target);
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
    const page = await start('repeat', '', await answerOf(memory, PAGE, API_KEY));
    const limit = 'node:http with the same bytes';
    results.push(
      await measureHttp(
        'HTTP list, memory store, page of 10, 10 entries',
        limit,
        [asking(limit, page, 200, API_KEY), asking('nodeListener', memory, 200, API_KEY)],
        effort,
      ),
    );
    const stranger = await start('repeat', '', await answerOf(memory, PAGE, 'wrong'));
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
    const { body }: { readonly body: string } = JSON.parse(answer);
    await redis.set('joined-page', body);
    const passing = await start('pass-on', redisUrl, answer);
    const redisLimit = 'node:http that GETs the joined page';
    results.push(
      await measureHttp(
        'HTTP list, Redis store, page of 10, 10 entries',
        redisLimit,
        [asking(redisLimit, passing, 200, API_KEY), asking('nodeListener', engine, 200, API_KEY)],
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
