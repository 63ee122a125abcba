import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithThisProcess, isReady, type Running, runningOf } from './child-server.js';
import { freePort, LOOPBACK } from './free-port.js';
import { PATIENT_MS } from './patience.js';
import { findRedisServer } from './redis-binary.js';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

export interface RedisServer extends RedisAddress {
  readonly pid: number;
  /** Folder of the server's files. */
  readonly dir: string;
  /**
   * Stops the server and waits for its exit. By default it skips saving, because nobody reads its
   * data.
   */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface RedisServerOptions {
  /** Additional arguments of redis-server; they override the defaults here. */
  readonly args?: readonly string[];
  /** Default: a free port. */
  readonly port?: number;
  /** Address for other network namespaces. Default: the loopback address. */
  readonly host?: string;
  /** Command prefix of the server, for example to enter a network namespace. */
  readonly within?: readonly string[];
  /** Content of a configuration file, which a sentinel requires. */
  readonly config?: string;
  /**
   * Folder that outlives the server, so that the next server can load its data. Default: temporary.
   */
  readonly dir?: string;
}

/** Starts a redis-server on the loopback address, without persistence unless `args` enable it. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'colloquy-redis-')));
  const removeDir = async () => {
    // A child process of the killed server may still write there.
    const patient = { recursive: true, force: true, maxRetries: 20 };
    if (options.dir === undefined) await rm(dir, patient);
  };
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    try {
      const server = await launch(port, dir, options);
      const stop = (signal?: NodeJS.Signals) => end(server, signal).then(removeDir);
      const host = options.host ?? LOOPBACK;
      return { host, port, url: `redis://${host}:${port}`, pid: server.pid, dir, stop };
    } catch (error) {
      if (attempt < attempts) continue;
      await removeDir();
      throw error;
    }
  }
}

async function launch(port: number, dir: string, options: RedisServerOptions): Promise<Running> {
  const { host = LOOPBACK, within = [], config, args = [] } = options;
  const binary = findRedisServer();
  if (binary === undefined) throw new Error('no redis-server found');
  const defaults = [
    '--bind',
    host,
    '--port',
    String(port),
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const settings = [...(config === undefined ? defaults : [config]), ...args];
  const [program = binary, ...rest] = [...within, binary, ...settings];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const server = runningOf(child, binary);
  endWithThisProcess(server, 'KILL');
  try {
    await isReady(server, 'redis-server', /Ready to accept connections|Sentinel ID is/, PATIENT_MS);
    return server;
  } catch (error) {
    await end(server, 'SIGKILL');
    throw error;
  }
}

async function end(server: Running, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill(signal);
  // A server stopped by SIGSTOP would not receive the signal.
  server.kill('SIGCONT');
  const impatience = setTimeout(() => server.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(impatience);
}
