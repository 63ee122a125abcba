import { cp, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';

const AOF = [
  '--appendonly',
  'yes',
  '--appendfsync',
  'always',
  '--auto-aof-rewrite-percentage',
  '0',
];

/** A service on a server that keeps its log in a folder. */
export const openOn = async (dir: string) => {
  const server = await startRedis({ dir, args: AOF });
  const client = openClient('ioredis 5', { port: server.port });
  const sessions = new SessionService({ store: new RedisSessionStore({ client, events: true }) });
  const crash = async () => {
    client.disconnect();
    await server.stop('SIGKILL');
  };
  return { sessions, crash };
};

/** The part of the log that grows. */
export const logIn = async (dir: string): Promise<string> => {
  const files = await readdir(join(dir, 'appendonlydir'));
  const name = files.find((file) => file.endsWith('.incr.aof'));
  if (name === undefined) throw new Error('the server has no log');
  return join(dir, 'appendonlydir', name);
};

/** Works on a copy of the folder, whose log ends at `size` bytes. */
export const onCutCopy = async <T>(
  base: string,
  size: number,
  work: (dir: string) => Promise<T>,
): Promise<T> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-cut-'));
  try {
    await cp(base, dir, { recursive: true });
    await truncate(await logIn(dir), size);
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};
