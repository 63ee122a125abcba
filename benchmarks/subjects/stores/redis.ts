import { Redis } from 'ioredis';
import { startRedis } from '../../../test/support/redis-server.js';
import { RedisSessionStore } from '../../colloquy.js';
import {
  type ByHand,
  type ComparedStore,
  createdMsOf,
  type Entry,
  idOf,
  type Start,
  type Sync,
  TEMPLATES,
  type WireSession,
} from './compared-store.js';

/* A string for each session, one for its entries, and a sorted set. */
const sessionKey = (tenant: string, id: string) => `hand:session:${tenant}:${id}`;
const entriesKey = (tenant: string, id: string) => `hand:entries:${tenant}:${id}`;
const indexKey = (tenant: string) => `hand:index:${tenant}`;

const lineOf = (entry: Entry) => `${JSON.stringify(entry)},`;

const idsOf = (redis: Redis, tenant: string, start: Start): Promise<readonly string[]> =>
  'skip' in start
    ? redis.zrevrange(indexKey(tenant), start.skip, start.skip + 9)
    : redis.zrevrangebyscore(indexKey(tenant), `(${start.createdMs}`, '-inf', 'LIMIT', 0, 10);

const strings = (redis: Redis): ByHand => {
  const create: ByHand['create'] = (tenant, session) =>
    Promise.all([
      redis.set(sessionKey(tenant, session.id), JSON.stringify({ ...session, history: [] })),
      redis.zadd(indexKey(tenant), Date.parse(session.created_at), session.id),
    ]);
  return {
    create,
    add: async (tenant, sessions) => {
      for (const session of sessions) {
        await create(tenant, session);
        await redis.set(entriesKey(tenant, session.id), session.history.map(lineOf).join(''));
      }
    },
    page: async (tenant, start, isLight) => {
      const ids = await idsOf(redis, tenant, start);
      const keys = ids.map((id) => sessionKey(tenant, id));
      const texts = await redis.mget(
        isLight ? keys : [...keys, ...ids.map((id) => entriesKey(tenant, id))],
      );
      return ids.map((_, at): WireSession => {
        const session: WireSession = JSON.parse(texts[at] ?? '');
        return isLight
          ? session
          : { ...session, history: JSON.parse(`[${texts[ids.length + at]?.slice(0, -1) ?? ''}]`) };
      });
    },
    get: async (tenant, id) => {
      const [session, entries] = await redis.mget(sessionKey(tenant, id), entriesKey(tenant, id));
      const history: readonly Entry[] = JSON.parse(`[${entries?.slice(0, -1) ?? ''}]`);
      return { ...JSON.parse(session ?? ''), history };
    },
    append: (tenant, id, _, entry) => redis.append(entriesKey(tenant, id), lineOf(entry)),
  };
};

const isoOf = (number: number): string => new Date(createdMsOf(number)).toISOString();

/**
 * The keys of a session in the store and by hand, and the text of its sessions by hand and in the
 * store.
 */
const keysOf = (tenant: string, id: string) => [
  `colloquy:{0}:record:${tenant}:${id}`,
  `colloquy:{0}:journal:${tenant}:${id}`,
  sessionKey(tenant, id),
  entriesKey(tenant, id),
];

const copy = async (redis: Redis, tenant: string, count: number): Promise<void> => {
  const templates = await Promise.all(
    Array.from({ length: TEMPLATES }, async (_, number) =>
      (await redis.mget(keysOf(tenant, idOf(number)))).map(String),
    ),
  );
  for (let by = TEMPLATES; by < count; by += TEMPLATES) {
    const places: (string | number)[] = [];
    const pairs = templates.flatMap(
      ([record = '', journal = '', session = '', entries = ''], at) => {
        const id = idOf(at + by);
        places.push(createdMsOf(at + by), id);
        // The identifier, the time of creation in both forms, and nothing else.
        const shifted = (text: string) =>
          text
            .replaceAll(idOf(at), id)
            .replaceAll(isoOf(at), isoOf(at + by))
            .replaceAll(String(createdMsOf(at)), String(createdMsOf(at + by)));
        const texts = [shifted(record), journal, shifted(session), entries];
        return keysOf(tenant, id).flatMap((key, place) => [key, texts[place] ?? '']);
      },
    );
    await Promise.all([
      redis.mset(pairs),
      redis.zadd(`colloquy:{0}:index:${tenant}`, ...places),
      redis.zadd(indexKey(tenant), ...places),
    ]);
  }
};

const logged = (fsync: string): readonly string[] => [
  '--appendonly',
  'yes',
  '--appendfsync',
  fsync,
];
const ARGS: Readonly<Record<Sync, readonly string[]>> = {
  always: logged('always'),
  later: logged('everysec'),
  never: [],
};

/** A server with the advice of docs/redis.md. */
export const redis: ComparedStore = {
  name: 'Redis',
  open: async ({ sync, address }) => {
    const args = ARGS[sync];
    const server = address === undefined ? await startRedis({ args }) : undefined;
    const url = address ?? server?.url ?? '';
    const client = new Redis(url);
    const version = /^redis_version:(\S+)/m.exec(await client.info('server'))?.[1];
    return {
      address: url,
      durability: `Redis ${version} by ioredis, appendfsync always: survives a crash of the machine`,
      open: (events) =>
        new RedisSessionStore({ client, prefix: events ? 'colloquy-events' : 'colloquy', events }),
      byHand: strings(client),
      serverPid: server?.pid,
      copy: ({ tenant, count }) => copy(client, tenant, count),
      close: async () => {
        client.disconnect();
        await server?.stop();
      },
    };
  },
};
