import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, LOOPBACK } from './free-port.js';
import { type RedisServer, startRedis } from './redis-server.js';

/** The sentinel's name for the master. */
export const MASTER = 'colloquy';

export interface WatchedRedis {
  readonly master: RedisServer;
  readonly sentinel: RedisServer;
  stop(): Promise<void>;
}

/** Starts a server without replicas, and a sentinel that watches it. */
export const startWatched = async (): Promise<WatchedRedis> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-sentinel-'));
  const master = await startRedis();
  const port = await freePort();
  const config = join(dir, 'sentinel.conf');
  const { host } = master;
  const lines = [
    ...[`port ${port}`, `bind ${LOOPBACK}`, `dir ${dir}`],
    `sentinel monitor ${MASTER} ${host} ${master.port} 1`,
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const sentinel = await startRedis({ port, dir, config, args: ['--sentinel'] });
  const stop = async () => {
    await Promise.all([sentinel.stop(), master.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
  return { master, sentinel, stop };
};
