import type { Redis } from 'ioredis';
import type { Session, SessionService } from '../colloquy.js';
import { pageText } from './pages.js';
import { must, resultOf } from './suite.js';

/*
 * What somebody would keep in Redis who does without an engine: whole pages, which cannot be kept
 * right when a session changes and are therefore what no engine can beat; or a string a session,
 * listed in a sorted set.
 */

/** The key of a whole page. */
export const joinedKey = (page: number): string => `joined:${page}`;

const SORTED = 'by-hand:sessions';

const keyOf = (id: string): string => `by-hand:session:${id}`;

/** Writes all pages of a tenant's list as one string each. */
export const joinPages = async (
  redis: Redis,
  sessions: SessionService,
  {
    total,
    limit,
    historyLimit,
  }: { readonly total: number; readonly limit: number; readonly historyLimit?: number },
): Promise<void> => {
  for (let page = 1; page <= total / limit; page += 1) {
    const listed = await must(
      sessions.list({ limit, page, ...(historyLimit === undefined ? {} : { historyLimit }) }),
    );
    await redis.set(joinedKey(page), pageText(listed.sessions));
  }
};

/** Writes all sessions as one string each, and a sorted set of them. */
export const keepByHand = async (redis: Redis, sessions: SessionService): Promise<void> => {
  const write = async (session: Session): Promise<void> => {
    await redis.set(keyOf(session.id), pageText([session]).slice(1, -1));
    await redis.zadd(SORTED, Date.parse(session.createdAt), session.id);
  };
  for await (const session of sessions.each({ limit: 100 })) await write(resultOf(session));
};

/** A page as ten lines by hand read it. */
export const listByHand = async (
  redis: Redis,
  page: number,
  limit: number,
): Promise<readonly unknown[]> => {
  const ids = await redis.zrevrange(SORTED, (page - 1) * limit, page * limit - 1);
  const texts = await redis.mget(ids.map(keyOf));
  return texts.map((text): unknown => JSON.parse(text ?? 'null'));
};
