import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { Pool } from 'pg';
import { MemorySessionStore, RedisSessionStore, SqliteSessionStore } from '../colloquy.js';
import { postgres } from '../subjects/stores/postgres.js';
import { sqlite } from '../subjects/stores/sqlite.js';
import { adk } from './adk.js';
import { adkOnPostgres } from './adk-postgres.js';
import { byHandOnPostgres } from './by-hand-postgres.js';
import { byHandOnSqlite } from './by-hand-sqlite.js';
import { colloquy } from './engine.js';
import { langGraph } from './langgraph.js';
import { mastra } from './mastra.js';
import { mastraOnPostgres, mastraOnSqlite } from './mastra-sql.js';
import { openAiAgents } from './openai-agents.js';
import { MIDDLE, type Peer } from './peer.js';

/** The peers of one kind of store, filled; Colloquy is the first. */
export interface Opened {
  readonly peers: readonly Peer[];
  readonly close: () => Promise<unknown>;
}

/** Where the peers keep their data. */
export interface Place {
  /** With its preposition. */
  readonly where: string;
  /** Databases of one Redis server, which only one place uses. */
  readonly open: (redisUrls: readonly string[]) => Promise<Opened>;
}

const openRedis = async ([own = '', threads = '', bareThreads = '']: readonly string[]) => {
  const client = new Redis(own);
  const peers = [
    await colloquy(new RedisSessionStore({ client }), { where: 'Redis' }),
    await mastra(threads, bareThreads),
  ];
  return { peers, close: async () => client.disconnect() };
};

const openMemory = async (): Promise<Opened> => ({
  peers: [
    await colloquy(new MemorySessionStore(), { where: 'memory' }),
    await openAiAgents(),
    await adk(),
  ],
  close: async () => undefined,
});

/** A file each, so that no library finds the other's tables. */
const openSqlite = async (): Promise<Opened> => {
  const database = await sqlite.open({ sync: 'always' });
  const relaxed = new Database(database.address ?? '');
  relaxed.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = NORMAL');
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-peers-'));
  const peers = [
    await colloquy(database.open(false), {
      where: 'SQLite',
      pages: [1, MIDDLE],
      relaxed: new SqliteSessionStore({ database: relaxed, events: false }),
    }),
    await mastraOnSqlite(join(folder, 'threads.db')),
    ...(await byHandOnSqlite(join(folder, 'by-hand.db'))),
  ];
  const close = async () => {
    relaxed.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { peers, close };
};

/**
 * A database each, on one server. Rows that a query skips are counted by PostgreSQL, so all tables
 * are analysed.
 */
const openPostgres = async (): Promise<Opened> => {
  const database = await postgres.open({ sync: 'always' });
  const admin = new Pool({ connectionString: database.address });
  const urlOf = async (name: string): Promise<string> => {
    await admin.query(`CREATE DATABASE ${name}`);
    return (database.address ?? '').replace(/[^/]*$/, name);
  };
  const urls = {
    mastra: await urlOf('mastra'),
    adk: await urlOf('adk'),
    langGraph: await urlOf('langgraph'),
    byHand: await urlOf('by_hand'),
  };
  const peers = [
    await colloquy(database.open(false), { where: 'PostgreSQL', pages: [1, MIDDLE] }),
    await mastraOnPostgres(urls.mastra),
    await adkOnPostgres(urls.adk),
    await langGraph(urls.langGraph),
    ...(await byHandOnPostgres(urls.byHand)),
  ];
  for (const url of [database.address, ...Object.values(urls)]) {
    const pool = new Pool({ connectionString: url, max: 1 });
    await pool.query('VACUUM ANALYZE');
    await pool.end();
  }
  const close = async () => {
    await admin.end();
    await database.close();
  };
  return { peers, close };
};

export const places: readonly Place[] = [
  { where: 'on Redis', open: openRedis },
  { where: 'in memory', open: openMemory },
  { where: 'on SQLite', open: openSqlite },
  { where: 'on PostgreSQL', open: openPostgres },
];
