import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startRedis } from '../../test/support/redis-server.js';
import { judge } from '../bars.js';
import { MemorySessionStore, RedisSessionStore } from '../colloquy.js';
import { describeMachine, type Effort, type GroupResult, measure } from '../harness/index.js';
import { type Results, save } from '../results.js';
import { postgres } from '../subjects/stores/postgres.js';
import { sqlite } from '../subjects/stores/sqlite.js';
import type { Count } from '../subjects/suite.js';
import { adk, adkOnPostgres } from './adk.js';
import { connectRedis } from './connect-redis.js';
import { openDatabases } from './databases.js';
import { BASE, colloquy } from './engine.js';
import { expressSession } from './express-session.js';
import { langGraph } from './langgraph.js';
import { mastra } from './mastra.js';
import { mastraOnPostgres, mastraOnSqlite } from './mastra-sql.js';
import { PAGE, type Peer, SESSIONS } from './peer.js';
import { tablesOf, writeReadme } from './table.js';

const USAGE = `Measures Colloquy beside other libraries' session stores, in one run.

  npm run bench:peers                   about three minutes, saved in benchmarks/results and benchmarks/peers/README.md
  npm run bench:peers -- --redis URL    on this server instead of one of its own; this database and the next three
                                        must be empty
`;

/** The slowest call takes longer than a round, and is then made once in it. */
const EFFORT: Effort = { rounds: 15, roundMs: 200 };

const PACKAGES = [
  '@mastra/redis',
  '@mastra/libsql',
  '@mastra/pg',
  '@mastra/core',
  'connect-redis',
  'express-session',
  'redis',
  'ioredis',
  '@google/adk',
  '@mikro-orm/postgresql',
  '@langchain/langgraph-checkpoint-postgres',
  'libsql',
  'pg',
];

/** Of what this project has installed for itself, from the root's folder. */
const versionOf = (name: string): string => {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(`benchmarks/peers/node_modules/${name}/package.json`, 'utf8'),
  );
  return version;
};

const measureLists = (where: string, peers: readonly Peer[]) =>
  measure(
    {
      name: `list ${where}, ${SESSIONS} sessions, page of ${PAGE}`,
      callers: 1,
      limits: [BASE],
      subjects: peers.flatMap(({ subjects }) => subjects),
    },
    EFFORT,
  );

const countsOf = async (peers: readonly Peer[]): Promise<readonly Count[]> => {
  const counts: Count[] = [];
  for (const peer of peers) counts.push(...(await peer.counts()));
  return counts;
};

interface Found {
  readonly lists: GroupResult;
  readonly counts: readonly Count[];
}

const measureOnRedis = async ([own = '', threads = '', bareThreads = '', sessions = '']: readonly string[]) => {
  const client = new Redis(own);
  const peers = [
    await colloquy(new RedisSessionStore({ client }), 'Redis'),
    await mastra(threads, bareThreads),
    await connectRedis(sessions),
  ];
  const found: Found = { lists: await measureLists('on Redis', peers), counts: await countsOf(peers) };
  for (const peer of peers) await peer.close();
  client.disconnect();
  return found;
};

const measureInMemory = async (): Promise<Found> => {
  const peers = [await colloquy(new MemorySessionStore(), 'memory'), await adk(), await expressSession()];
  return { lists: await measureLists('in memory', peers), counts: await countsOf(peers) };
};

/** A file each, so that no library finds the other's tables. */
const measureOnSqlite = async (): Promise<Found> => {
  const database = await sqlite.open({ isDurable: false });
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-peers-'));
  const peers = [
    await colloquy(database.open(false), 'SQLite', [1, 500]),
    await mastraOnSqlite(join(folder, 'threads.db')),
  ];
  const found: Found = { lists: await measureLists('on SQLite', peers), counts: await countsOf(peers) };
  for (const peer of peers) await peer.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
  return found;
};

/** A database each, on one server. Rows that a query skips are counted by PostgreSQL, so all tables are analyzed. */
const measureOnPostgres = async (): Promise<Found> => {
  const database = await postgres.open({ isDurable: false });
  const admin = new Pool({ connectionString: database.address });
  const urls: string[] = [];
  for (const name of ['mastra', 'adk', 'langgraph']) {
    await admin.query(`CREATE DATABASE ${name}`);
    urls.push((database.address ?? '').replace(/[^/]*$/, name));
  }
  const [mastraUrl = '', adkUrl = '', langGraphUrl = ''] = urls;
  const peers = [
    await colloquy(database.open(false), 'PostgreSQL', [1, 500]),
    await mastraOnPostgres(mastraUrl),
    await adkOnPostgres(adkUrl),
    await langGraph(langGraphUrl),
  ];
  for (const url of [database.address, ...urls]) {
    const pool = new Pool({ connectionString: url, max: 1 });
    await pool.query('VACUUM ANALYZE');
    await pool.end();
  }
  const found: Found = { lists: await measureLists('on PostgreSQL', peers), counts: await countsOf(peers) };
  for (const peer of peers) await peer.close();
  await admin.end();
  await database.close();
  return found;
};

const run = async (server: string): Promise<void> => {
  const { urls, info, empty } = await openDatabases(server, 4);
  const machine = describeMachine(info, ['tinybench']);
  const versions = Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)]));
  const onRedis = await measureOnRedis(urls).finally(empty);
  const found = [onRedis, await measureInMemory(), await measureOnSqlite(), await measureOnPostgres()];
  const results: Results = {
    version: 2,
    date: new Date().toISOString(),
    kind: 'peers',
    machine: { ...machine, packages: { ...machine.packages, ...versions } },
    effort: EFFORT,
    groups: found.map(({ lists }) => lists),
    counts: found.flatMap(({ counts }) => counts),
  };
  const tables = tablesOf(results);
  console.log(`${tables}\n`);
  const judged = judge(results);
  for (const { figure, bar, value, reached } of judged) {
    console.log(`${reached ? 'reached' : 'MISSED '}  ${value.toFixed(0).padStart(8)}  ${bar.padEnd(9)} ${figure}`);
  }
  writeReadme(tables);
  console.log(`\nsaved in ${save(results, judged)}`);
};

const { values } = parseArgs({
  options: { redis: { type: 'string' }, help: { type: 'boolean', default: false } },
});

if (values.help) console.log(USAGE);
else if (values.redis !== undefined) await run(values.redis);
else {
  const server = await startRedis();
  try {
    await run(server.url);
  } finally {
    await server.stop();
  }
}
