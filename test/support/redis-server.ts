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
  /** Where the server keeps its files. */
  readonly dir: string;
  /**
   * Ends the server and waits until it has gone. By default it does not stay to save what nobody
   * will read.
   */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface RedisServerOptions {
  /** Further settings, as on redis-server's command line; they win over the defaults here. */
  readonly args?: readonly string[];
  /** Where to listen; a free port by default. */
  readonly port?: number;
  /** Where to be reached from other network namespaces; the loopback address by default. */
  readonly host?: string;
  /** A command that runs the server, for example one that enters a network namespace. */
  readonly within?: readonly string[];
  /** A settings file of its own, as a sentinel wants one. */
  readonly config?: string;
  /**
   * A folder that outlives the server, so that another may start from what this one left. Temporary
   * by default.
   */
  readonly dir?: string;
}

/**
 * Starts a redis-server of its own on the loopback address, with nothing persisted unless `args`
 * say so.
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'colloquy-redis-')));
  const removeDir = async () => {
    // A child that the killed server has forked may still write there.
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
  // A server that a test has frozen with SIGSTOP would not hear of it.
  server.kill('SIGCONT');
  const impatience = setTimeout(() => server.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(impatience);
}
