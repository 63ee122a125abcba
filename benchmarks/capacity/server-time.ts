import { Redis } from 'ioredis';
import { startRedis } from '../../test/support/redis-server.js';
import { RedisSessionStore, SessionService } from '../colloquy.js';
import { seedSessions } from '../seed.js';

/** Microseconds of one server's time a call: what bounds how many of them a shard can take. */
export interface ServerTime {
  readonly operation: string;
  readonly us: number;
  /** Bytes that the server receives and sends for it. */
  readonly received: number;
  readonly sent: number;
}

const CALLS = 3000;

const numberIn = (info: string, name: string): number =>
  Number(new RegExp(`${name}[:=]([\\d.]+)`).exec(info)?.[1] ?? 0);

/** The time of the commands that clients send; what scripts call is counted within them. */
const usedUs = (info: string): number =>
  ['evalsha', 'sort', 'zcard', 'mget', 'get', 'strlen', 'zrangebyscore'].reduce((sum, command) => {
    const line = new RegExp(`cmdstat_${command}:.*`).exec(info)?.[0] ?? '';
    return sum + (command === 'evalsha' || !inScripts.has(command) ? numberIn(line, 'usec') : 0);
  }, 0);

const inScripts: ReadonlySet<string> = new Set(['get', 'strlen', 'zcard']);

/** Returns the figures and the server's own information. */
export const serverTimes = async (): Promise<{
  readonly times: readonly ServerTime[];
  readonly info: string;
}> => {
  const server = await startRedis();
  const redis = new Redis(server.url);
  try {
    const sessions = new SessionService({ store: new RedisSessionStore({ client: redis }) });
    const ids = await seedSessions(sessions, 10_000, 10);
    const idOf = (at: number): string => ids[(at * 7919) % ids.length] ?? '';
    const operations: Readonly<Record<string, (at: number) => PromiseLike<unknown>>> = {
      create: async () => sessions.create({ face: 'ada', profile: 'tutor' }),
      append: async (at) =>
        sessions.append(idOf(at), [{ role: 'user', content: 'Let us go on with the last step.' }]),
      'pause or resume': async (at) =>
        at % 2 === 0 ? sessions.pause(idOf(at >> 1)) : sessions.resume(idOf(at >> 1)),
      get: async (at) => sessions.get(idOf(at)),
      'list, page of 10': async (at) => sessions.list({ limit: 10, page: 1 + ((at * 31) % 1000) }),
    };
    const times: ServerTime[] = [];
    for (const [operation, call] of Object.entries(operations)) {
      await redis.config('RESETSTAT');
      for (let at = 0; at < CALLS; at += 1) await call(at);
      const [commands, stats] = [await redis.info('commandstats'), await redis.info('stats')];
      times.push({
        operation,
        us: usedUs(commands) / CALLS,
        received: numberIn(stats, 'total_net_input_bytes') / CALLS,
        sent: numberIn(stats, 'total_net_output_bytes') / CALLS,
      });
    }
    return { times, info: await redis.info('server') };
  } finally {
    redis.disconnect();
    await server.stop();
  }
};
