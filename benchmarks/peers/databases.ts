import { Redis } from 'ioredis';

/**
 * Databases of one server, from the given one on, all empty: the peers look through every key of
 * theirs, and must not find those of the others.
 */
export interface Databases {
  readonly urls: readonly string[];
  /** What the server says of itself. */
  readonly info: string;
  /** Removes what the benchmarks have put into them. */
  readonly empty: () => Promise<void>;
}

const urlOf = (server: string, further: number): string => {
  const url = new URL(server);
  url.pathname = String(Number(url.pathname.slice(1)) + further);
  return url.href;
};

const within = async <T>(url: string, ask: (client: Redis) => Promise<T>): Promise<T> => {
  const client = new Redis(url, { maxRetriesPerRequest: 0 });
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
};

export const openDatabases = async (server: string, count: number): Promise<Databases> => {
  const urls = Array.from({ length: count }, (_, at) => urlOf(server, at));
  for (const url of urls) {
    const keys = await within(url, (client) => client.dbsize());
    const { pathname } = new URL(url);
    if (keys > 0)
      throw new Error(`database ${pathname} is not empty, and the benchmarks would empty it`);
  }
  return {
    urls,
    info: await within(server, (client) => client.info('server')),
    empty: async () => {
      for (const url of urls) await within(url, (client) => client.flushdb());
    },
  };
};
