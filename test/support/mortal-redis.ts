import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.js';
import { startRedis } from './redis-server.js';

/** A Redis that persists every acknowledged write, for tests that kill it. */
export interface MortalRedis {
  readonly port: number;
  kill(): Promise<void>;
  /** Restarts it with its data. */
  restart(): Promise<void>;
}

export const startMortalRedis = async (): Promise<MortalRedis> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-mortal-'));
  const port = await freePort();
  const start = () =>
    startRedis({ dir, port, args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  let server = await start();
  onTestFinished(async () => {
    await server.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  return {
    port,
    kill: () => server.stop('SIGKILL'),
    restart: async () => {
      server = await start();
    },
  };
};
