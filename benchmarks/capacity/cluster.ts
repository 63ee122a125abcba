import { Cluster, Redis } from 'ioredis';
import { startCluster } from '../../test/support/redis-cluster.js';
import { RedisSessionStore, SessionService } from '../colloquy.js';
import { seedSession } from '../seed.js';

const TENANTS = 60;
const SECONDS = 4;
const CALLERS = 64;

export interface ClusterRun {
  readonly partitions: number;
  /** Calls a second of this one client process: appends and lists, one after another. */
  readonly callsPerSecond: number;
  /** What each master has answered, as a part of all. */
  readonly shares: readonly number[];
  readonly errors: number;
}

/** Drives 60 tenants' sessions on three masters, and looks which of them did the work. */
export const loadCluster = async (
  partitions: readonly number[],
): Promise<readonly ClusterRun[]> => {
  const cluster = await startCluster(3);
  const client = new Cluster([...cluster.nodes]);
  const masters = cluster.nodes.map(({ host, port }) => new Redis({ host, port }));
  const calls = (): Promise<number[]> =>
    Promise.all(
      masters.map(async (master) => {
        const info = await master.info('commandstats');
        const of = (command: string) =>
          Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
        return of('evalsha') + of('zrevrange') + of('sort');
      }),
    );
  try {
    const runs: ClusterRun[] = [];
    for (const count of partitions) {
      const store = new RedisSessionStore({
        client,
        prefix: `capacity-${count}`,
        partitions: count,
      });
      const all = new SessionService({ store });
      const tenants = Array.from({ length: TENANTS }, (_, at) => all.forTenant(`tenant-${at}`));
      const ids = await Promise.all(tenants.map((sessions, at) => seedSession(sessions, 10, at)));
      const before = await calls();
      const until = performance.now() + SECONDS * 1000;
      let done = 0;
      let errors = 0;
      const caller = async (_: unknown, first: number) => {
        for (let at = first; performance.now() < until; at += 1) {
          const sessions = tenants[at % TENANTS];
          const answer = await (at % 2 === 0
            ? sessions?.append(ids[at % TENANTS] ?? '', [
                { role: 'user', content: 'Let us go on.' },
              ])
            : sessions?.list());
          if (answer?.isOk() !== true) errors += 1;
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const after = await calls();
      const shares = after.map((now, at) => now - (before[at] ?? 0));
      const total = shares.reduce((sum, share) => sum + share, 0);
      runs.push({
        partitions: count,
        callsPerSecond: Math.round(done / SECONDS),
        shares: shares.map((share) => share / total),
        errors,
      });
    }
    return runs;
  } finally {
    client.disconnect();
    for (const master of masters) master.disconnect();
    await cluster.stop();
  }
};
