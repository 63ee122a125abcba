import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startRedis } from '../../test/support/redis-server.js';
import { judge } from '../bars.js';
import {
  describeMachine,
  type Effort,
  type Group,
  type GroupResult,
  loadBefore,
  measure,
} from '../harness/index.js';
import { type Results, save } from '../results.js';
import type { Count } from '../subjects/suite.js';
import { openAnswers } from './answers.js';
import { openDatabases } from './databases.js';
import { BASE } from './engine.js';
import { ENTRIES, LATEST, LONG, PAGE, type Peer, QUICK, SESSIONS } from './peer.js';
import { places } from './places.js';
import { peersTables, writePeers } from './table.js';

const USAGE = `Measures Colloquy beside other libraries' session stores and tables by hand, in one run.

  npm run bench:peers                   about seven minutes, saved in benchmarks/results and benchmarks/peers/figures.md
  npm run bench:peers -- --quick        the same with small sizes, to see that it works; saved in benchmarks/.build
  npm run bench:peers -- --only SQLite  answers and the places whose name contains this text, not kept with the others
  npm run bench:peers -- --redis URL    on this server instead of one of its own; this database and the next two must
                                        be empty
`;

/** The slowest call takes longer than a round, and is then made once in it. */
const EFFORT: Effort = QUICK ? { rounds: 2, roundMs: 10 } : { rounds: 15, roundMs: 200 };

/** As durable as the other stores are here. No rewriting of the log in the middle of a turn. */
const DURABLE = [
  '--appendonly',
  'yes',
  '--appendfsync',
  'always',
  '--auto-aof-rewrite-percentage',
  '0',
];

const PACKAGES = [
  '@mastra/redis',
  '@mastra/libsql',
  '@mastra/pg',
  '@mastra/core',
  'ioredis',
  '@openai/agents',
  '@google/adk',
  '@mikro-orm/postgresql',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-postgres',
  '@dbos-inc/dbos-sdk',
  'pg-boss',
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

/** Lists first: what follows makes histories longer. */
const groupsOf = (where: string, peers: readonly Peer[]): readonly Group[] => {
  const kinds = [
    {
      name: `list ${where}, ${SESSIONS} sessions, page of ${PAGE}`,
      limits: [BASE.list],
      subjects: peers.flatMap(({ lists }) => lists),
    },
    {
      name: `append ${where}, ${SESSIONS} sessions of ${ENTRIES} entries`,
      limits: [BASE.append],
      subjects: peers.flatMap(({ appends }) => appends),
    },
    {
      name: `get ${where}, the latest ${LATEST} of ${LONG} entries`,
      limits: [BASE.get],
      subjects: peers.flatMap(({ gets }) => gets),
    },
  ];
  return kinds.map((kind) => ({ ...kind, callers: 1 }));
};

interface Found {
  readonly groups: GroupResult[];
  readonly counts: Count[];
}

const measureAll = async (redisUrls: readonly string[]): Promise<Found> => {
  const found: Found = { groups: [], counts: [] };
  for (const { where, open } of places.filter(({ where }) => where.includes(values.only))) {
    console.log(`${where} ...`);
    const { peers, close } = await open(redisUrls);
    for (const group of groupsOf(where, peers)) found.groups.push(await measure(group, EFFORT));
    for (const peer of peers) found.counts.push(...(await peer.counts()));
    for (const peer of peers) await peer.close();
    await close();
  }
  console.log('answers ...');
  const { groups, close } = await openAnswers();
  for (const group of groups) found.groups.push(await measure(group, EFFORT));
  await close();
  return found;
};

const run = async (server: string, load: number): Promise<void> => {
  const isComplete = !QUICK && values.only === '';
  console.log(`load before the run ${load.toFixed(1)}`);
  const { urls, info, empty } = await openDatabases(server, 3);
  const machine = describeMachine(info, ['tinybench'], load);
  const versions = Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)]));
  const { groups, counts } = await measureAll(urls).finally(empty);
  const results: Results = {
    version: 2,
    date: new Date().toISOString(),
    kind: isComplete ? 'peers' : 'quick',
    machine: { ...machine, packages: { ...machine.packages, ...versions } },
    effort: EFFORT,
    groups,
    counts,
  };
  console.log(`${peersTables(results)}\n`);
  const judged = judge(results);
  for (const { figure, bar, value, reached } of judged) {
    console.log(
      `${reached ? 'reached' : 'MISSED '}  ${value.toFixed(0).padStart(8)}  ${bar.padEnd(9)} ${figure}`,
    );
  }
  if (isComplete) writePeers(results);
  console.log(`\nsaved in ${save(results, judged)}`);
};

const { values } = parseArgs({
  options: {
    redis: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values.redis !== undefined) await run(values.redis, await loadBefore());
else {
  const load = await loadBefore();
  const server = await startRedis({ args: DURABLE });
  try {
    await run(server.url, load);
  } finally {
    await server.stop();
  }
}
