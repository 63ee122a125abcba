import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { makeFailingFsync } from '../../support/failing-fsync.js';
import type { PostgresAddress } from '../../support/postgres-server.js';
import { type Requirement, reasonToSkip, requirements } from '../../support/requirements.js';
import { openSmallDisk } from '../../support/small-disk.js';
import { expectTruthThrough, type Fault } from '../databases/fault-rounds.js';
import { effort } from '../support/effort.js';
import { ask, MortalServer } from './mortal-server.js';
import { behindProxy, emptySchema } from './on-shared-server.js';
import { Repeated } from './repeated.js';
import { unsoundIn } from './soundness.js';

const PROMISE = 'PostgreSQL: answers are true, whatever fails';

const faultOf = (server: MortalServer, fault: Pick<Fault, 'begin' | 'end' | 'refused'>): Fault => ({
  database: server.database,
  unsoundIn: () => unsoundIn(server.database),
  ...fault,
});

/** Changes a setting of a server that runs, for all connections. */
const setting = async (name: string, value: string): Promise<Fault> => {
  const server = await MortalServer.start();
  return faultOf(server, {
    begin: () => server.ask(`ALTER SYSTEM SET ${name} = ${value}`, 'SELECT pg_reload_conf()'),
    end: () => server.ask(`ALTER SYSTEM RESET ${name}`, 'SELECT pg_reload_conf()'),
    refused: ['not_applied'],
  });
};

/** What the server does in the middle of anything: it ends connections that are at work. */
const terminated = async (): Promise<Fault> => {
  const server = await MortalServer.start();
  const { url } = server.database;
  const terminating = new Repeated(() =>
    ask(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`,
    ),
  );
  return faultOf(server, { begin: terminating.begin, end: terminating.end, refused: ['unknown'] });
};

/** The network loses connections: what was sent may or may not have been received. */
const cut = async (server: PostgresAddress): Promise<Fault> => {
  const direct = await emptySchema(server);
  const { proxy, database } = await behindProxy(direct, server);
  const cutting = new Repeated(async () => {
    proxy.speak();
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  const { begin, end } = cutting;
  return { database, begin, end, refused: ['unknown'], unsoundIn: () => unsoundIn(direct) };
};

/** The server does not respond for longer than the timeout of a call. */
const silent = async (server: PostgresAddress): Promise<Fault> => {
  const direct = await emptySchema(server);
  const { proxy, database } = await behindProxy({ ...direct, timeoutMs: 200 }, server);
  const { silence: begin, speak: end } = proxy;
  return { database, begin, end, refused: ['unknown'], unsoundIn: () => unsoundIn(direct) };
};

/** Another transaction takes the same rows in another order. */
const deadlocked = async (): Promise<Fault> => {
  const server = await MortalServer.start({ args: ['-c', 'deadlock_timeout=5ms'] });
  const { url, schema } = server.database;
  const locking = new Repeated(() =>
    ask(
      url,
      'BEGIN',
      `SELECT FROM "${schema}".totals FOR UPDATE`,
      'SELECT pg_sleep(0.005)',
      `SELECT FROM "${schema}".sessions WHERE status <> 'TERMINATED' ORDER BY number DESC FOR UPDATE`,
      'COMMIT',
      // The server undoes either of the two.
    ).catch(() => undefined),
  );
  const unsound = async () => {
    const [row] = await server.ask(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return [
      ...(Number(row?.['deadlocks']) > 0 ? [] : ['no deadlock']),
      ...(await unsoundIn(server.database)),
    ];
  };
  // The store repeats what a deadlock has rolled back, so no caller notices.
  const fault = faultOf(server, { begin: locking.begin, end: locking.end, refused: [] });
  return { ...fault, unsoundIn: unsound };
};

/** Starts a server that a fault has ended: it cannot recover while the fault lasts. */
const recover = async (server: MortalServer): Promise<void> => {
  await server.kill();
  await server.restart();
};

const fullLog = async (): Promise<Fault> => {
  const disk = openSmallDisk(24);
  onTestFinished(disk.close);
  const server = await MortalServer.start({
    initdb: ['--wal-segsize=1', `--waldir=${disk.folder}/wal`],
    args: ['-c', 'min_wal_size=2MB', '-c', 'max_wal_size=8MB'],
  });
  const end = () => {
    disk.free();
    return recover(server);
  };
  return faultOf(server, { begin: disk.fill, end, refused: ['unknown'] });
};

const fullTables = async (): Promise<Fault> => {
  const disk = openSmallDisk(64);
  const log = mkdtempSync(join(tmpdir(), 'colloquy-wal-'));
  onTestFinished(() => {
    disk.close();
    rmSync(log, { recursive: true, force: true });
  });
  const dir = join(disk.folder, 'data');
  mkdirSync(dir);
  // The server runs as another user.
  chmodSync(log, 0o777);
  const server = await MortalServer.start({ dir, initdb: [`--waldir=${log}/wal`] });
  return faultOf(server, { begin: disk.fill, end: disk.free, refused: ['not_applied'] });
};

/**
 * The disk says that it could not keep what it was given. The server then ends all its processes,
 * and recovers.
 */
const failedFsync = async (): Promise<Fault> => {
  const { env, begin, end: succeed, close } = makeFailingFsync();
  const server = await MortalServer.start({ env });
  onTestFinished(close);
  const end = () => {
    succeed();
    return recover(server);
  };
  return faultOf(server, { begin, end, refused: ['unknown'] });
};

const cases: readonly {
  readonly name: string;
  readonly open: (shared: PostgresAddress) => Promise<Fault>;
  readonly needs?: Requirement;
  readonly isShort?: true;
}[] = [
  { name: 'the server is read-only', open: () => setting('default_transaction_read_only', 'on') },
  { name: 'statement_timeout', open: () => setting('statement_timeout', '1') },
  { name: 'pg_terminate_backend', open: terminated },
  { name: 'connections are cut', open: cut, isShort: true },
  { name: 'no answer', open: silent },
  { name: 'deadlocks', open: deadlocked },
  { name: 'a full disk for the log', open: fullLog, needs: requirements.smallDisk },
  { name: 'a full disk for the tables', open: fullTables, needs: requirements.smallDisk },
  { name: 'a failed fsync', open: failedFsync, needs: requirements.failingFsync },
];

describeWithPostgres('hosts that write to a PostgreSQL with recurring errors', (shared) => {
  for (const { name, open, needs } of effort(
    cases.filter(({ isShort }) => isShort),
    cases,
  )) {
    if (needs !== undefined && !needs.isMet()) {
      test.skip(`${name}, ${reasonToSkip(needs)}`);
      continue;
    }
    test(
      `${name}: lose and duplicate no acknowledged write, and answer truthfully`,
      async () => expectTruthThrough(PROMISE, name, await open(shared)),
      effort(120_000, 900_000),
    );
  }
});
