import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, isExecutable } from './find-binary.js';
import { freePort, LOOPBACK } from './free-port.js';
import { type PostgresAddress, serverUser } from './postgres-server.js';

export interface PgBouncer {
  /** URL of the database `postgres` behind it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Debian installs it in a folder that only root has on PATH. */
const DEBIAN = '/usr/sbin/pgbouncer';

/** The PgBouncer that PGBOUNCER names, otherwise the first on PATH, otherwise Debian's. */
export const findPgBouncer = (): string | undefined =>
  findBinary('pgbouncer', 'PGBOUNCER') ?? (isExecutable(DEBIAN) ? DEBIAN : undefined);

const settings = (port: number, server: PostgresAddress): string => `[databases]
* = host=${server.host} port=${server.port} user=postgres
[pgbouncer]
listen_addr = ${LOOPBACK}
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = options
`;

/**
 * Starts a PgBouncer in transaction mode, with two connections to the server
 * (https://www.pgbouncer.org/config.html).
 */
export const startPgBouncer = async (server: PostgresAddress): Promise<PgBouncer> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-pgbouncer-'));
  const file = join(dir, 'pgbouncer.ini');
  const port = await freePort();
  const user = serverUser();
  await writeFile(file, settings(port, server));
  if (user !== undefined) await chown(dir, user.uid, user.gid);
  const child = spawn(findPgBouncer() ?? 'pgbouncer', [file], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += chunk;
      if (log.includes('process up')) resolve();
    });
    void gone.then(() => reject(new Error(`pgbouncer did not start:\n${log}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await gone;
    await rm(dir, { recursive: true, force: true });
  };
  return { url: `postgres://postgres@${LOOPBACK}:${port}/postgres`, stop };
};
