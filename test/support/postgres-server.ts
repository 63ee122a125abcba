import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithThisProcess, isReady, type Running, runningOf } from './child-server.js';
import { freePort, LOOPBACK } from './free-port.js';
import { PATIENT_MS } from './patience.js';
import { findPostgres } from './postgres-binary.js';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  /** The superuser's connection to the database `postgres`, without a password. */
  readonly url: string;
}

export interface PostgresServer extends PostgresAddress {
  readonly pid: number;
  /** Folder of the server's files. */
  readonly dir: string;
  /**
   * Stops the server and waits for its exit. SIGQUIT, the default, saves nothing; SIGINT shuts down
   * cleanly; SIGKILL kills all its processes together, like a crash of the machine.
   */
  stop(signal?: 'SIGQUIT' | 'SIGINT' | 'SIGKILL'): Promise<void>;
}

export interface PostgresServerOptions {
  /** Additional arguments of postgres (`-c name=value`); they override the defaults here. */
  readonly args?: readonly string[];
  /** Additional options of initdb, for a new database. */
  readonly initdb?: readonly string[];
  /** Default: a free port. */
  readonly port?: number;
  /**
   * Folder that outlives the server, so that the next server can load its data. An empty folder
   * gets a new database; as root it then belongs to the server's user. Default: temporary.
   */
  readonly dir?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Tests do not read data after a crash of the machine, so fsync is off. */
const DEFAULTS = ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'unix_socket_directories='];

/** The user that runs the server: PostgreSQL refuses to run as root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

let found: User | undefined;

export const serverUser = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  found ??= { uid: idOf('-u'), gid: idOf('-g') };
  return found;
};

/** Starts a PostgreSQL on the loopback address, without fsync unless `args` enable it. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'colloquy-postgres-')));
  const removeDir = async () => {
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  const attempts = options.port === undefined ? 3 : 1;
  const patientUntil = performance.now() + PATIENT_MS;
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    try {
      if (!existsSync(join(dir, 'PG_VERSION'))) await makeDatabase(dir, options.initdb ?? []);
      const server = await launch(port, dir, options);
      const stop = (signal?: NodeJS.Signals) => end(server, signal).then(removeDir);
      const url = `postgres://postgres@${LOOPBACK}:${port}/postgres`;
      return { host: LOOPBACK, port, url, pid: server.pid, dir, stop };
    } catch (error) {
      // Processes of a killed server take a moment to exit.
      const isTooEarly = /shared memory block .* is still in use/.test(String(error));
      if (isTooEarly && performance.now() < patientUntil) continue;
      if (attempt < attempts) continue;
      await removeDir();
      throw error;
    }
  }
}

/** Creates a standby of `server` in the empty folder `dir`. It replicates once started there. */
export async function makeStandby(server: PostgresServer, dir: string): Promise<void> {
  const user = serverUser();
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  const from = ['--host', server.host, '--port', String(server.port), '--username=postgres'];
  const how = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
  execFileSync(binaryOf('pg_basebackup'), [...from, ...how, '--pgdata', dir], {
    ...user,
    cwd: dir,
    stdio: 'pipe',
  });
}

const binaryOf = (name: string): string => {
  const folder = findPostgres();
  if (folder === undefined) throw new Error('no PostgreSQL found');
  return join(folder, name);
};

async function makeDatabase(dir: string, options: readonly string[]): Promise<void> {
  const user = serverUser();
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  const settings = [
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    ...options,
  ];
  execFileSync(binaryOf('initdb'), [...settings, '--pgdata', dir], {
    ...user,
    cwd: dir,
    stdio: 'pipe',
  });
}

async function launch(
  port: number,
  dir: string,
  { args = [], env = {} }: PostgresServerOptions,
): Promise<Running> {
  const binary = binaryOf('postgres');
  const place = ['-D', dir, '-c', `listen_addresses=${LOOPBACK}`, '-c', `port=${port}`];
  const child = spawn(binary, [...place, ...DEFAULTS, ...args], {
    ...serverUser(),
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const server = runningOf(child, binary);
  endWithThisProcess(server, 'QUIT');
  try {
    await isReady(server, 'postgres', /ready to accept (?:read.only )?connections/, PATIENT_MS);
    return server;
  } catch (error) {
    await end(server, 'SIGKILL');
    throw error;
  }
}

async function end(server: Running, signal: NodeJS.Signals = 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  if (signal === 'SIGKILL') killAll(server.pid);
  else server.kill(signal);
  const impatience = setTimeout(() => killAll(server.pid), 10_000);
  await gone;
  clearTimeout(impatience);
}

/** Kills all processes: after the postmaster alone is killed, the others may write for a while. */
function killAll(postmaster: number): void {
  // Stopped first, so that it starts no further processes.
  process.kill(postmaster, 'SIGSTOP');
  const processes = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' });
  const pairs = processes.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.flatMap(([pid = 0, parent]) =>
    parent === postmaster && pid > 0 ? [pid] : [],
  );
  for (const pid of [postmaster, ...children]) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
