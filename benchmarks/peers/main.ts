import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startRedis } from '../../test/support/redis-server.js';
import { judge } from '../bars.js';
import { MemorySessionStore, RedisSessionStore } from '../colloquy.js';
import { describeMachine, type Effort, type GroupResult, measure } from '../harness/index.js';
import { type Results, save } from '../results.js';
import type { Count } from '../subjects/suite.js';
import { adk } from './adk.js';
import { connectRedis } from './connect-redis.js';
import { openDatabases } from './databases.js';
import { BASE, colloquy } from './engine.js';
import { expressSession } from './express-session.js';
import { mastra } from './mastra.js';
import { PAGE, type Peer, SESSIONS } from './peer.js';
import { tablesOf, writeReadme } from './table.js';

const USAGE = `Measures Colloquy beside other libraries' session stores, in one run.

  npm run bench:peers                   about one minute, saved in benchmarks/results and benchmarks/peers/README.md
  npm run bench:peers -- --redis URL    on this server instead of one of its own; this database and the next three
                                        must be empty
`;

/** The slowest call takes longer than a round, and is then made once in it. */
const EFFORT: Effort = { rounds: 15, roundMs: 200 };

const PACKAGES = [
  '@mastra/redis',
  '@mastra/core',
  'connect-redis',
  'express-session',
  'redis',
  'ioredis',
  '@google/adk',
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

const run = async (server: string): Promise<void> => {
  const { urls, info, empty } = await openDatabases(server, 4);
  const machine = describeMachine(info, ['tinybench']);
  const versions = Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)]));
  const onRedis = await measureOnRedis(urls).finally(empty);
  const inMemory = await measureInMemory();
  const results: Results = {
    version: 2,
    date: new Date().toISOString(),
    kind: 'peers',
    machine: { ...machine, packages: { ...machine.packages, ...versions } },
    effort: EFFORT,
    groups: [onRedis.lists, inMemory.lists],
    counts: [...onRedis.counts, ...inMemory.counts],
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
