import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
  staticApiKeys,
} from '../../src/http/index.js';
import { type HistoryEntry, SessionService } from '../../src/index.js';
import { openPool, schemaName } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { openLibsql } from '../support/sqlite-file.js';

/** The model of a host, which takes its time and may be aborted. */
const askModel = async (entries: readonly HistoryEntry[], _signal?: AbortSignal): Promise<string> =>
  `You said: ${entries.at(-1)?.content ?? 'nothing'}`;

/** A tenant with an interview that has begun. */
const interview = async () => {
  const store = new MemorySessionStore({ events: true });
  const sessions = new SessionService({ store, tenant: 'acme' });
  const { id } = await sessions.orThrow.create({
    face: 'ada',
    profile: 'interviewer',
    timeLimit: 600,
    budget: { tokens: 100_000 },
    labels: { user: 'u-1' },
    start: true,
    entries: [
      { role: 'assistant', content: 'What do you build?' },
      { role: 'user', content: 'Bridges, mostly.' },
    ],
  });
  return { store, sessions, id, askModel };
};

const overHttp = async () => {
  const { sessions, id } = await interview();
  const serve = fetchHandler(
    createSessionHandler({
      sessions,
      authenticate: staticApiKeys([{ key: 'key-1', tenant: 'acme' }]),
      routes: [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes()],
      labels: true,
      metadata: true,
      usage: true,
    }),
  );
  const client = new SessionClient({
    baseUrl: 'https://sessions.example',
    apiKey: 'key-1',
    fetch: (url, init) => serve(new Request(url, init)),
  });
  return { client, sessions: client, id, askModel };
};

const onRedis = async () => {
  const { host = '', port = 0 } = inject('redis') ?? {};
  return { client: openClient('ioredis 5', { host, port, keyPrefix: randomUUID() }) };
};

const onSqlite = async () => {
  const database = openLibsql(':memory:');
  onTestFinished(() => {
    database.close();
  });
  return { database };
};

/** In a database of its own: the example chooses the schema. */
const onPostgres = async () => {
  const { url = '' } = inject('postgres') ?? {};
  const admin = openPool({ url });
  const name = schemaName();
  await admin.query(`CREATE DATABASE ${name}`);
  const pool = openPool({ url: new URL(`/${name}`, url).href });
  onTestFinished(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  });
  return { pool };
};

/** What the examples of a subpath find in place, besides what they import. */
export const settings = {
  colloquy: interview,
  'colloquy/memory': interview,
  'colloquy/redis': onRedis,
  'colloquy/sqlite': onSqlite,
  'colloquy/postgres': onPostgres,
  'colloquy/http': interview,
  'colloquy/client': overHttp,
};
