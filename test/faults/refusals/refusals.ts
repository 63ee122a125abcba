import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { startMortalRedis } from '../../support/mortal-redis.js';
import { openClient } from '../../support/redis-clients.js';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedis,
} from '../../support/redis-server.js';

/** A server that can be made to refuse writes, and to take them again. */
export interface Refusal {
  readonly port: number;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** Whether the server answers reads during it. */
  readonly isReadable: boolean;
}

const start = async (options: RedisServerOptions = {}): Promise<RedisServer> => {
  const server = await startRedis(options);
  onTestFinished(() => server.stop('SIGKILL'));
  return server;
};

const controlOf = ({ port }: RedisServer) => openClient('ioredis 5', { port });

/** The memory is full: OOM. */
const outOfMemory = async (): Promise<Refusal> => {
  const server = await start();
  const control = controlOf(server);
  const set = (bytes: number) => control.call('CONFIG', 'SET', 'maxmemory', String(bytes));
  // A little above what is used: some commands of an operation find room, and others do not.
  const begin = async () => {
    const [, used = '0'] =
      /used_memory:(\d+)/.exec(String(await control.call('INFO', 'memory'))) ?? [];
    await set(Number(used) + 8 * 1024);
  };
  return { port: server.port, begin, end: () => set(0), isReadable: true };
};

/** There are too few replicas: NOREPLICAS. */
const withoutReplicas = async (): Promise<Refusal> => {
  const server = await start();
  const control = controlOf(server);
  const set = (count: number) =>
    control.call('CONFIG', 'SET', 'min-replicas-to-write', String(count));
  return { port: server.port, begin: () => set(1), end: () => set(0), isReadable: true };
};

/** A replica takes over without a loss, and gives back later: READONLY. */
const readOnly = async (): Promise<Refusal> => {
  const master = await start();
  const replica = await start({
    args: ['--replicaof', '127.0.0.1', String(master.port), '--repl-diskless-sync-delay', '0'],
  });
  const controls = new Map([master, replica].map((server) => [server, controlOf(server)]));
  const roleOf = async (server: RedisServer) =>
    String(await controls.get(server)?.call('INFO', 'replication'));
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    for (const _ of upTo(2000)) {
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('the servers did not change places');
  };
  const handOver = async (from: RedisServer, to: RedisServer): Promise<void> => {
    await until(async () => (await roleOf(to)).includes('master_link_status:up'));
    await until(async () => {
      await controls
        .get(from)
        ?.call('FAILOVER', 'TO', '127.0.0.1', String(to.port))
        .catch(() => undefined);
      return (await roleOf(to)).includes('role:master');
    });
    await until(async () => (await roleOf(from)).includes('role:slave'));
  };
  const begin = () => handOver(master, replica);
  return { port: master.port, begin, end: () => handOver(replica, master), isReadable: true };
};

/**
 * The log can grow no more: MISCONF. A file may not be longer than a limit, which is as good as a
 * full disk.
 */
const fullDisk = async (): Promise<Refusal> => {
  const args = [
    '--appendonly',
    'yes',
    '--appendfsync',
    'everysec',
    '--auto-aof-rewrite-percentage',
    '0',
  ];
  // The limit's signal would otherwise end the server at the first byte too many.
  const server = await start({ within: ['sh', '-c', 'trap "" XFSZ; exec "$0" "$@"'], args });
  const set = async (bytes: string) => {
    execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`]);
  };
  return {
    port: server.port,
    begin: () => set('1'),
    end: () => set('unlimited'),
    isReadable: true,
  };
};

/** The server is killed, and comes back with what its log has. */
const killed = async (): Promise<Refusal> => {
  const { port, kill, restart } = await startMortalRedis();
  return { port, begin: kill, end: restart, isReadable: false };
};

export const refusals: Readonly<Record<string, () => Promise<Refusal>>> = {
  'OOM (maxmemory)': outOfMemory,
  'NOREPLICAS (min-replicas-to-write)': withoutReplicas,
  'READONLY (a replica takes over)': readOnly,
  'MISCONF (the disk is full)': fullDisk,
  'kill -9 of the server': killed,
};
