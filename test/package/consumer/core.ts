// What a host writes that embeds the engine, with nothing installed but the package and no types
// but its own.
import {
  createWorker,
  type Session,
  type SessionError,
  SessionService,
  type SessionStatus,
  type SessionStore,
  transitions,
} from 'colloquy';
import { loadMessages, saveMessages } from 'colloquy/ai-sdk';
import { TranscriptStore } from 'colloquy/claude-agent';
import { type ClientError, SessionClient } from 'colloquy/client';
import { commandRoutes, createSessionHandler, staticApiKeys } from 'colloquy/http';
import { MemorySessionStore } from 'colloquy/memory';
import { EngineSession, TurnSession } from 'colloquy/openai-agents';
import { type OpenApiDocument, openApiDocument } from 'colloquy/openapi';
import { type PostgresPool, PostgresSessionStore } from 'colloquy/postgres';
import { RedisSessionStore } from 'colloquy/redis';
import { type SqliteDatabase, SqliteSessionStore } from 'colloquy/sqlite';
import { describeSessionStore } from 'colloquy/testing';

export async function converse(
  store: SessionStore = new MemorySessionStore(),
): Promise<Session | SessionError> {
  const sessions = new SessionService({ store });
  const created = await sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 600 });
  if (created.isErr()) return created.error;
  const { id } = created.value;
  const started = await sessions.start(id);
  if (started.isErr() && started.error.type === 'invalid_transition') return started.error;
  await sessions.append(id, [{ role: 'user', content: 'Hello' }]);
  const read = await sessions.forTenant('acme').get(id);
  return read.isOk() ? read.value : read.error;
}

export async function converseFromAfar(client: SessionClient): Promise<number | ClientError> {
  const created = await client.create({ face: 'ada', profile: 'tutor' }, { timeoutMs: 1000 });
  if (created.isErr()) return created.error;
  for await (const item of client.watch(created.value.id)) {
    if (item.isErr()) return item.error;
    if (item.value.type === 'session.changed' && item.value.entries.length > 0)
      return item.value.sequence;
  }
  const read = await client.get(created.value.id);
  return read.isOk() ? read.value.history.length : read.error;
}

export const client = new SessionClient({
  baseUrl: 'https://sessions.example/api',
  apiKey: async () => 'change-me',
});

export async function follow(
  client: SessionClient,
  sessions: SessionService,
  id: string,
): Promise<string | undefined> {
  const taken = await sessions.lease(id, { holder: 'worker-1', seconds: 60 });
  if (taken.isErr()) return taken.error.type;
  await using lease = taken.value;
  await using watch = client.watch(id);
  for await (const item of watch) return item.isErr() ? item.error.type : lease.holder;
  return undefined;
}

export async function count(sessions: SessionService): Promise<number> {
  const page = await sessions.list({ limit: 10, page: 1 });
  return page.isOk() ? page.value.total + page.value.sessions.length : 0;
}

export const ended: SessionStatus = transitions.IDLE.terminate.status;

type RedisClient = ConstructorParameters<typeof RedisSessionStore>[0]['client'];
export const onRedis = (client: RedisClient): SessionStore => new RedisSessionStore({ client });

export const onSqlite = async (database: SqliteDatabase): Promise<SessionStore | SessionError> => {
  const store = new SqliteSessionStore({ database, events: { length: 1000 } });
  const migrated = await store.migrate();
  return migrated.isOk() ? store : migrated.error;
};

export const onPostgres = async (pool: PostgresPool): Promise<SessionStore | SessionError> => {
  const store = new PostgresSessionStore({ pool, schema: 'sessions', events: { listen: false } });
  const migrated = await store.migrate();
  return migrated.isOk() ? store : migrated.error;
};

export const handler = createSessionHandler({
  sessions: new SessionService({ store: new MemorySessionStore() }),
  authenticate: staticApiKeys([
    { key: 'a-key-of-at-least-some-length-0123456789', tenant: 'acme' },
  ]),
});

export const describe = (title: string): OpenApiDocument =>
  openApiDocument({ title, routes: [commandRoutes()] });

declare const test: (name: string, run: () => Promise<void>) => void;
export const suite = () => describeSessionStore(test, () => new MemorySessionStore());

export const sessionsOfSdks = async (
  sessions: SessionService,
  client: SessionClient,
): Promise<boolean> => {
  const items = await new EngineSession<{ role: string }>(sessions, 'chat').getItems(20);
  const transcripts = await new TranscriptStore(client).listSessions('project');
  const saved = await saveMessages(sessions, 'chat', [
    { id: 'm1', role: 'user', parts: [{ type: 'text' }] },
  ]);
  const loaded = await loadMessages(sessions, 'chat', { last: 20 });
  createWorker(sessions, { run: (turn) => new TurnSession(turn).entries });
  return items.length > 0 && transcripts.length > 0 && saved.isOk() && loaded.isOk();
};
