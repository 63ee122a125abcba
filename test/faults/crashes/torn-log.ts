import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { ManualClock } from '../../support/manual-clock.js';
import { redisMajor } from '../../support/redis-binary.js';
import { type ClientVersion, openClient, type TestClient } from '../../support/redis-clients.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { ada, countingIds, okOf } from '../../support/sessions.js';
import { Overheard } from './overheard.js';
import { type Sight, sightOf } from './sight.js';
import { type Bench, said, type Write } from './torn-writes.js';

/**
 * How the server keeps what was there when its log began: as commands too, or as a snapshot in
 * front of them.
 */
export type Base = 'aof' | 'rdb';

/**
 * Redis 6.2 keeps the base and the tail in one file, and logs a script with one write in a
 * transaction of its own.
 */
const isOld = redisMajor() === 6;

const argsFor = (base: Base): readonly string[] => [
  ...['--appendonly', 'yes', '--appendfsync', 'always', '--auto-aof-rewrite-percentage', '0'],
  ...['--aof-use-rdb-preamble', base === 'rdb' ? 'yes' : 'no'],
  ...(isOld ? [] : ['--enable-debug-command', 'yes']),
];

const FOLDER = isOld ? '.' : 'appendonlydir';
const isTail = (file: string): boolean => file.endsWith(isOld ? '.aof' : '.incr.aof');

/** For so long the commands of a write may be sent again. */
const RESENT_WITHIN_MS = 600_000;

/** Makes the log anew from what is there: a new base, and an empty tail. */
const rewriteLog = async (client: TestClient): Promise<void> => {
  await client.call('bgrewriteaof');
  while (
    /aof_rewrite_(?:in_progress|scheduled):1/.test(String(await client.call('info', 'persistence')))
  );
};

const readFolder = async (dir: string): Promise<ReadonlyMap<string, Buffer>> => {
  const names = await readdir(join(dir, FOLDER));
  const files = names.map(async (name) => [name, await readFile(join(dir, FOLDER, name))] as const);
  return new Map(await Promise.all(files));
};

/** How long the part of the log is that grows. */
export const tailLength = async (dir: string): Promise<number> =>
  [...(await readFolder(dir))].find(([name]) => isTail(name))?.[1].length ?? 0;

/** A service on a client, and all that the writes need. */
const benchOn = (
  client: TestClient,
  events: boolean,
  timeoutMs = 10_000,
  heard = new Overheard(client),
): Bench => {
  const indexes = { reportEnds: true };
  const store = new RedisSessionStore({ client: heard.client, timeoutMs, ...indexes, events });
  const options = { store, clock: new ManualClock(), ids: countingIds() };
  return {
    ...{ client, store, events },
    sessions: new SessionService(options),
    impatient: new SessionService({ ...options, idleTimeout: 900 }),
  };
};

/** A log whose last entries are of one write. */
export interface Log {
  readonly base: Base;
  readonly events: boolean;
  readonly files: ReadonlyMap<string, Buffer>;
  /** Where in the tail the write begins, and where it ends. */
  readonly from: number;
  readonly to: number;
  readonly before: Sight;
  readonly after: Sight;
  /** Sends the commands of the write once more, byte for byte. */
  readonly resend: (client: TestClient) => Promise<void>;
}

/** Does a write on a server of its own, and takes the log that it leaves. */
export const logOf = async (
  write: Write,
  base: Base,
  events: boolean,
  version: ClientVersion,
): Promise<Log> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-log-'));
  const server = await startRedis({ dir, args: argsFor(base) });
  try {
    const client = openClient(version, { port: server.port });
    const heard = new Overheard(client);
    const bench = benchOn(client, events, RESENT_WITHIN_MS, heard);
    const { id } = await okOf(bench.impatient.create({ ...ada, timeLimit: 60 }));
    await okOf(bench.sessions.start(id));
    // What is there already becomes the base; the rest is the tail.
    await rewriteLog(client);
    await okOf(bench.sessions.append(id, [said('of another')]));
    await write.prepare(bench);
    const from = await tailLength(dir);
    heard.begin();
    await write.run(bench);
    const resend = heard.end();
    const to = await tailLength(dir);
    await server.stop('SIGKILL');
    const files = await readFolder(dir);
    const see = (cut: number) => onTorn({ base, events, files, cut, version }, sightOf);
    return { base, events, files, from, to, resend, before: await see(from), after: await see(to) };
  } finally {
    await server.stop('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  }
};

/** A log that ends at a byte of its tail. */
export interface Torn {
  readonly base: Base;
  readonly events: boolean;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly cut: number;
  readonly version: ClientVersion;
}

/**
 * What a trial has: a bench on the server as it runs now, and a way to kill that server and start
 * it anew.
 */
export interface Trial extends Bench {
  readonly dir: string;
  readonly crash: () => Promise<Trial>;
}

/** Starts a server on a torn log, for as long as the trial takes. */
export const onTorn = async <T>(torn: Torn, trial: (trial: Trial) => Promise<T>): Promise<T> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-torn-'));
  let end = async (): Promise<void> => {};
  const start = async (): Promise<Trial> => {
    const server: RedisServer = await startRedis({ dir, args: argsFor(torn.base) });
    const client = openClient(torn.version, { port: server.port });
    // What the document on reliability tells hosts of this version to do after a crash.
    if (isOld) await rewriteLog(client);
    end = async () => {
      client.disconnect();
      await server.stop('SIGKILL');
    };
    const crash = async (): Promise<Trial> => {
      await end();
      return start();
    };
    return { ...benchOn(client, torn.events), dir, crash };
  };
  try {
    await mkdir(join(dir, FOLDER), { recursive: true });
    for (const [name, bytes] of torn.files) {
      await writeFile(join(dir, FOLDER, name), isTail(name) ? bytes.subarray(0, torn.cut) : bytes);
    }
    return await trial(await start());
  } finally {
    await end();
    await rm(dir, { recursive: true, force: true });
  }
};
