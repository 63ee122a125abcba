import { isBuiltin } from 'node:module';
import { betterSqlite3Available } from './better-sqlite3.js';
import { findOpenssl } from './certificate.js';
import { findChromium } from './chromium-binary.js';
import { isElsewhere } from './continuous-integration.js';
import { failingFsyncAvailable } from './failing-fsync.js';
import { findBinary } from './find-binary.js';
import { networksAvailable } from './network.js';
import { findPgBouncer } from './pgbouncer.js';
import { findPostgres } from './postgres-binary.js';
import { findRedisServer, redisHasTls } from './redis-binary.js';
import { smallDisksAvailable } from './small-disk.js';

/** A program that some tests need and a machine may lack. */
export interface Requirement {
  readonly name: string;
  readonly isMet: () => boolean;
  readonly howToGet: string;
  /** Whether CI fails without it. */
  readonly isNeededInCi: boolean;
}

export const requirements = {
  redis: {
    name: 'a redis-server',
    isMet: () => findRedisServer() !== undefined,
    howToGet:
      'Install one (Debian: apt-get install redis-server, macOS: brew install redis), or set REDIS_SERVER to the path of ' +
      'a redis-server or valkey-server binary.',
    isNeededInCi: true,
  },
  redisWithTls: {
    name: 'a redis-server with TLS, and openssl',
    isMet: () => redisHasTls() && findOpenssl() !== undefined,
    howToGet:
      'Install them (Debian: apt-get install redis-server openssl), or set REDIS_SERVER and OPENSSL to the paths of ' +
      'their binaries.',
    isNeededInCi: true,
  },
  postgres: {
    name: 'a PostgreSQL server',
    isMet: () => findPostgres() !== undefined,
    howToGet:
      'Install one (Debian: apt-get install postgresql, macOS: brew install postgresql), or set POSTGRES to the folder of ' +
      'its binaries.',
    isNeededInCi: true,
  },
  pgbouncer: {
    name: 'PgBouncer',
    isMet: () => findPgBouncer() !== undefined,
    howToGet:
      'Install one (Debian: apt-get install pgbouncer), or set PGBOUNCER to the path of its binary.',
    isNeededInCi: true,
  },
  chromium: {
    name: 'Chromium',
    isMet: () => findChromium() !== undefined,
    howToGet:
      'Install it (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome binary.',
    isNeededInCi: true,
  },
  curl: {
    name: 'curl',
    isMet: () => findBinary('curl', 'CURL') !== undefined,
    howToGet: 'Install it (Debian: apt-get install curl).',
    isNeededInCi: true,
  },
  git: {
    name: 'Git',
    isMet: () => findBinary('git', 'GIT_BINARY') !== undefined,
    howToGet: 'Install it (Debian: apt-get install git).',
    isNeededInCi: true,
  },
  python: {
    name: 'Python 3',
    isMet: () => findBinary('python3', 'PYTHON') !== undefined,
    howToGet:
      'Install it (Debian: apt-get install python3), or set PYTHON to the path of its binary.',
    isNeededInCi: true,
  },
  networks: {
    name: 'a network namespace',
    isMet: networksAvailable,
    howToGet: 'Run the tests as root on Linux, with iproute2 (Debian: apt-get install iproute2).',
    isNeededInCi: false,
  },
  smallDisk: {
    name: 'a small file system of its own',
    isMet: smallDisksAvailable,
    howToGet: 'Run the tests as root on Linux.',
    isNeededInCi: false,
  },
  failingFsync: {
    name: 'an fsync that fails',
    isMet: failingFsyncAvailable,
    howToGet: 'Run the tests on Linux with a C compiler (Debian: apt-get install gcc libc6-dev).',
    isNeededInCi: false,
  },
  nodeSqlite: {
    name: 'node:sqlite',
    isMet: () => isBuiltin('node:sqlite'),
    howToGet: 'Run the tests with Node 22.13 or later.',
    isNeededInCi: isElsewhere,
  },
  betterSqlite3: {
    name: 'better-sqlite3',
    isMet: betterSqlite3Available,
    howToGet:
      'Run npm install --no-save better-sqlite3@12, or set BETTER_SQLITE3 to the folder of the package.',
    // Built for the first Node only; the others have node:sqlite.
    isNeededInCi: !isElsewhere,
  },
} as const satisfies Readonly<Record<string, Requirement>>;

/**
 * The name of a skipped test, which says why it is skipped. The global setup says how to get what
 * is missing.
 */
export const reasonToSkip = ({ name }: Requirement): string =>
  `skipped: needs ${name}, and this machine has none`;
