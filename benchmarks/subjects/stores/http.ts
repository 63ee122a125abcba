import type { GroupResult } from '../../harness/measure.js';
import { type HttpSubject, measureHttp, startTarget, type Target } from '../http-load.js';
import { API_KEY, type Context, expect } from '../suite.js';
import type { ComparedStore } from './compared-store.js';
import { fill } from './fill.js';

export const TENANT = 'over-http';

const BY_HAND = 'node:http and the query, by hand';

/** Looks at one answer: a whole page of ten. */
const check = async ({ url }: Target): Promise<void> => {
  const response = await fetch(`${url}/sessions?limit=10&page=7`, {
    headers: { 'x-api-key': API_KEY },
  });
  const sessions: readonly { readonly history: readonly unknown[] }[] = JSON.parse(
    await response.text(),
  );
  expect(
    sessions.length === 10 && sessions.every(({ history }) => history.length === 10),
    'ten whole sessions',
  );
};

/** Any page of 10,000 sessions over HTTP, from a server in a process of its own. */
export const overHttp = async (
  { name, open }: ComparedStore,
  { quick, rounds }: Context,
): Promise<readonly GroupResult[]> => {
  const total = quick ? 200 : 10_000;
  const database = await open({ sync: 'never' });
  const targets: Target[] = [];
  const subject = async (role: string, label: string): Promise<HttpSubject> => {
    const target = await startTarget(role, `${total}`, database.address ?? '', name);
    targets.push(target);
    await check(target);
    const paths = (connection: number) =>
      Array.from({ length: 64 }, (_, at) => {
        const page = 1 + (((connection * 31 + at) * 7919) % (total / 10));
        return `/sessions?limit=10&page=${page}`;
      });
    return { name: label, target, path: '/sessions', paths, key: API_KEY, status: 200 };
  };
  try {
    if (database.address !== undefined) await fill(database, TENANT, total);
    const subjects = [
      await subject('store-by-hand', BY_HAND),
      await subject('store', 'nodeListener'),
    ];
    const results: GroupResult[] = [];
    for (const connections of quick ? [32] : [1, 32]) {
      const effort = {
        rounds: Math.min(rounds, quick ? 1 : 5),
        seconds: quick ? 0.2 : 1,
        connections,
      };
      results.push(
        await measureHttp(
          `stores, ${name}: list over HTTP, any page of ${total} sessions`,
          [BY_HAND],
          subjects,
          effort,
        ),
      );
    }
    return results;
  } finally {
    for (const target of targets) await target.stop();
    await database.close();
  }
};
