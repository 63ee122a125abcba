import { Redis } from 'ioredis';
import { RedisSessionStore, type RedisSessionStoreOptions, SessionService } from '../colloquy.js';
import { seedSession } from '../seed.js';
import { type Context, type Count, expect, must, type Suite } from './suite.js';

const ENTRY = [{ role: 'user', content: 'And then?' }];

/**
 * What the server says of each command: its time, the database, and who has sent it: `lua` for a
 * script.
 */
type Listener = (time: string, args: readonly string[], source: string) => void;

/**
 * Counts the commands that clients send while operations are made; those of scripts do not count.
 */
const countCommands = async (
  { redis, redisUrl }: Context,
  store: string,
  options: Omit<RedisSessionStoreOptions, 'client'>,
): Promise<readonly Count[]> => {
  const client = new Redis(redisUrl);
  const sessions = new SessionService({
    store: new RedisSessionStore({ client, prefix: 'counted', ...options }),
  });
  for (let seed = 0; seed < 11; seed += 1) await seedSession(sessions, 10, seed);
  const monitor = await redis.monitor();
  const sent: string[] = [];
  let marked: (() => void) | undefined;
  const listener: Listener = (_, [name = '', first = ''], source) => {
    if (first === 'counted-so-far') marked?.();
    else if (source !== 'lua') sent.push(name.toLowerCase());
  };
  monitor.on('monitor', listener);
  /** Until the server has said all that it was sent before. */
  const settled = async (): Promise<void> => {
    const seen = new Promise<void>((resolve) => {
      marked = resolve;
    });
    await redis.echo('counted-so-far');
    await seen;
  };
  const counts: Count[] = [];
  const count = async <T>(operation: string, call: () => Promise<T>): Promise<T> => {
    await settled();
    sent.length = 0;
    const value = await call();
    await settled();
    counts.push({
      figure: `commands of ${operation}, ${store}`,
      value: sent.length,
      unit: sent.join(' '),
    });
    return value;
  };
  const input = { face: 'ada', profile: 'tutor', timeLimit: 600, labels: { user: 'u-1' } };
  const { id } = await count('create', () => must(sessions.create(input)));
  await count('start', () => must(sessions.start(id)));
  await count('the first append', () => must(sessions.append(id, ENTRY)));
  await count('append', () => must(sessions.append(id, ENTRY)));
  await count('append with an operationId', () =>
    must(sessions.append(id, ENTRY, { operationId: 'one' })),
  );
  await count('pause', () => must(sessions.pause(id)));
  await count('resume', () => must(sessions.resume(id)));
  await count('get', () => must(sessions.get(id)));
  const page = await count('list', () => must(sessions.list()));
  expect(page.sessions.length === 10, 'a page of 10');
  await count('list by status', () => must(sessions.list({ status: 'ACTIVE' })));
  const { fencingToken } = await count('lease', () =>
    must(sessions.lease(id, { holder: 'worker', seconds: 10 })),
  );
  await count('release', () => must(sessions.release(id, { fencingToken })));
  const stranger = new SessionService({
    store: new RedisSessionStore({ client, prefix: 'counted', ...options }),
  });
  await count('a pause of a session that another process wrote last', () =>
    must(stranger.pause(id)),
  );
  await count('terminate', () => must(stranger.terminate(id)));
  const { id: failed } = await must(sessions.create(input));
  await count('fail', () => must(sessions.fail(failed)));
  await count('delete', () => must(sessions.delete(id)));
  monitor.disconnect();
  client.disconnect();
  await redis.flushdb();
  return counts;
};

const counts = async (context: Context): Promise<readonly Count[]> => [
  ...(await countCommands(context, 'events off', {})),
  ...(await countCommands(context, 'events on', { events: true })),
];

export const commands: Suite = { name: 'commands', counts };
