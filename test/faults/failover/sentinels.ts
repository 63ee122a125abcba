import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, LOOPBACK } from '../../support/free-port.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type RedisAddress, type RedisServer, startRedis } from '../../support/redis-server.js';

/** What all sentinels call the master. */
export const MASTER = 'colloquy';
/** How long a master must be silent until it counts as down. */
export const DOWN_AFTER_MS = 1000;
const REPLICAS = 2;
const SENTINELS = 3;

/** A master with two replicas, and three sentinels that watch over them. */
export class Sentinels {
  readonly sentinels: RedisServer[] = [];
  readonly #servers = new Map<number, RedisServer>();
  readonly #args: readonly string[];
  readonly #dir: string;

  /** `args` are settings of the master and the replicas. */
  static async start(args: readonly string[]): Promise<Sentinels> {
    const all = new Sentinels(args, await mkdtemp(join(tmpdir(), 'colloquy-sentinels-')));
    try {
      const master = await all.#serve(await freePort());
      for (let count = 0; count < REPLICAS; count += 1) await all.#serve(await freePort(), master);
      await all.#inStep(async () => master);
      for (let count = 0; count < SENTINELS; count += 1)
        all.sentinels.push(await all.#watch(master, count));
      for (const sentinel of all.sentinels) await all.#knowsAll(sentinel);
      return all;
    } catch (error) {
      await all.stop();
      throw error;
    }
  }

  private constructor(args: readonly string[], dir: string) {
    this.#args = args;
    this.#dir = dir;
  }

  /** The one that all sentinels call the master. */
  async master(): Promise<RedisServer> {
    const master = this.#servers.get(await this.#masterPort());
    if (master === undefined) throw new Error('the master is none of these servers');
    return master;
  }

  /** Kills the master. Returns a function that restarts it as a replica of the new master. */
  async killMaster(): Promise<() => Promise<void>> {
    const { port, stop } = await this.master();
    await stop('SIGKILL');
    this.#servers.delete(port);
    return async () => {
      await until('another master', async () => (await this.#masterPort()) !== port);
      const master = await this.master();
      await this.#serve(port, master);
      await this.#inStep(() => this.master());
      for (const sentinel of this.sentinels) await this.#knowsAll(sentinel);
    };
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.sentinels, ...this.#servers.values()].map((server) => server.stop()),
    );
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #serve(port: number, master?: RedisAddress): Promise<RedisServer> {
    const follow = master === undefined ? [] : ['--replicaof', master.host, String(master.port)];
    const server = await startRedis({
      port,
      args: ['--repl-diskless-sync-delay', '0', ...follow, ...this.#args],
    });
    this.#servers.set(port, server);
    return server;
  }

  async #watch({ host, port }: RedisAddress, number: number): Promise<RedisServer> {
    const config = join(this.#dir, `sentinel-${number}.conf`);
    const own = await freePort();
    const lines = [
      `port ${own}`,
      `bind ${LOOPBACK}`,
      `dir ${this.#dir}`,
      `sentinel monitor ${MASTER} ${host} ${port} 2`,
      `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${MASTER} 4000`,
    ];
    await writeFile(config, `${lines.join('\n')}\n`);
    return startRedis({ port: own, dir: this.#dir, config, args: ['--sentinel'] });
  }

  async #masterPort(): Promise<number> {
    const ports = await Promise.all(
      this.sentinels.map((sentinel) =>
        ask(sentinel, async (client) => {
          const address: unknown = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
          return Array.isArray(address) ? Number(address[1]) : 0;
        }),
      ),
    );
    const [first = 0, ...others] = ports;
    if (others.some((port) => port !== first)) {
      await sleep(50);
      return this.#masterPort();
    }
    return first;
  }

  /**
   * Waits until all replicas have what the master has: whoever is that by then, because sentinels of
   * a busy machine replace a master that is only slow.
   */
  async #inStep(masterOf: () => Promise<RedisAddress>): Promise<void> {
    await until('the replicas are in step', async () => {
      const info = await ask(await masterOf(), (client) => client.info('replication'));
      return [...info.matchAll(/state=online/g)].length === REPLICAS;
    });
  }

  async #knowsAll(sentinel: RedisAddress): Promise<void> {
    await ask(sentinel, (client) =>
      until('the sentinels know all', async () => {
        const info = await client.info('sentinel');
        return (
          info.includes('status=ok,') && info.includes(`slaves=${REPLICAS},sentinels=${SENTINELS}`)
        );
      }),
    );
  }
}

const ask = async <T>(
  { host, port }: RedisAddress,
  work: (client: Redis) => Promise<T>,
): Promise<T> => {
  const client = new Redis({ host, port });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
};

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + PATIENT_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not in ${PATIENT_MS} ms: ${what}`);
    await sleep(50);
  }
};
