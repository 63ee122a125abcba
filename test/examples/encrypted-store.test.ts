import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { encrypted } from '../../examples/encryption/encrypted-store.js';
import { SessionService, type SessionStore, unwrap } from '../../src/index.js';
import { planAppend } from '../../src/plan/append.js';
import { digestOf } from '../../src/session/digest-of.js';
import { canonicalJson } from '../../src/session/json.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, schemaName } from '../support/postgres-schema.js';
import { openLibsql } from '../support/sqlite-file.js';

describe("the example's encrypted store", () => {
  const key = randomBytes(32);
  const makeStore = () => encrypted(new MemorySessionStore({ events: true }), key);
  describeSessionStore(withoutLargeCases(test), makeStore);
});

const USAGE = { tokens: 5 };
const LIMITS = { counters: ['tokens'] };

/** A turn that fails with the secret, and one that answers with it, whose digest it returns. */
const work = async (store: SessionStore, secret: string): Promise<string> => {
  const sessions = new SessionService({ store }).orThrow;
  let digest: string | undefined;
  for (const release of [{ error: secret }, { done: true, entries: secret }]) {
    const { id } = await sessions.create({ start: true });
    await sessions.send(id, secret);
    const { claimed } = await sessions.claim({ holder: secret, seconds: 60 });
    const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
    const first = await sessions.release(id, { fencingToken, ...release });
    expect(await sessions.release(id, { fencingToken, ...release })).toEqual(first);
    const state = (await store.findState({ tenant: 'default', id }))._unsafeUnwrap();
    expect(state?.work.failure?.error).toBe('error' in release ? secret : undefined);
    digest = state?.work.lease?.releaseDigest;
  }
  return digest ?? '';
};

/**
 * Says a secret in every place of a session that is encrypted, by every kind of write. Returns the
 * digest of an answer.
 */
const sayEverywhere = async (inner: SessionStore, secret: string): Promise<string> => {
  const store = encrypted(inner, randomBytes(32));
  const sessions = new SessionService({ store, gracePeriod: 60, limits: LIMITS }).orThrow;
  const options = { face: secret, profile: secret, behavior: secret, context: secret };
  const metadata = { [secret]: { name: secret } };
  const entry = { role: 'user', content: secret, id: `m-${secret}`, data: { [secret]: secret } };
  const { id, revision } = await sessions.create({
    ...{ ...options, metadata, start: true },
    ...{ idempotencyKey: 'create-1', entries: [entry] },
  });
  const { position } = await sessions.append(id, [entry], { operationId: 'append-1' });
  await sessions.append(id, [entry], { operationId: 'append-1' });
  await sessions.rewind(id, { to: 0, entries: [entry], ifPosition: position });
  await sessions.update(id, { metadata: { more: secret } }, { operationId: 'update-1' });
  const { fencingToken } = await sessions.lease(id, { holder: secret, seconds: 60 });
  await sessions.append(id, [entry], { fencingToken });
  await sessions.send(id, { ...entry, id: 'message-1' });
  expect(await sessions.inbox(id)).toMatchObject([{ content: secret, data: entry.data }]);
  await sessions.cancel(id, { reason: secret });
  const read = await sessions.get(id);
  expect(read).toMatchObject({ options, metadata: { ...metadata, more: secret } });
  expect(read.revision).not.toBe(revision);
  expect(read.history).toMatchObject([entry, entry]);
  // `cancel` has cleared the work.
  await sessions.wake(id);
  const { claimed } = await sessions.claim({ holder: secret, seconds: 60 });
  expect(claimed).toMatchObject([{ lease: { holder: secret }, messages: [{ content: secret }] }]);
  await sessions.cancel(id, { reason: secret });
  await sessions.spend(id, USAGE, { operationId: 'spend-1' });
  expect(await sessions.spend(id, USAGE, { operationId: 'spend-1' })).toMatchObject({
    repeated: true,
  });
  const { position: end } = await sessions.history(id);
  const fork = await sessions.create({ ...options, from: { id, position: end } });
  expect(fork.historyCount).toBe(3);
  await sessions.terminate(id);
  return work(store, secret);
};

/** The digest of the spend in a store that is not encrypted. */
const digestOfSpend = async (): Promise<string> => {
  const store = new MemorySessionStore();
  const sessions = new SessionService({ store, limits: LIMITS }).orThrow;
  const { id } = await sessions.create({ start: true });
  await sessions.spend(id, USAGE, { operationId: 'spend-1' });
  const state = (await store.findState({ tenant: 'default', id }))._unsafeUnwrap();
  return state?.budget?.last.split(':')[1] ?? '';
};

const expectNowhere = async (dump: string, secret: string, answered: string): Promise<void> => {
  expect(dump.length).toBeGreaterThan(1000);
  for (const digest of [answered, await digestOfSpend()]) {
    expect(digest).toHaveLength(16);
    expect(dump).not.toContain(digest);
  }
  for (const text of [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').slice(0, 24),
  ])
    expect(dump).not.toContain(text);
  const changes = { labels: {}, metadata: { more: secret } };
  for (const digest of [
    digestOf(canonicalJson(changes)),
    digestOf(canonicalJson(changes.metadata)),
  ])
    expect(dump).not.toContain(digest);
};

const uniqueText = (): string => `secret${randomBytes(12).toString('hex')}`;

test('a ciphertext moved to another session is not decrypted there', async () => {
  const inner = new MemorySessionStore();
  const sessions = new SessionService({ store: encrypted(inner, randomBytes(32)) });
  const entries = [{ role: 'user', content: 'hello' }];
  await unwrap(sessions.create({ id: 'from', start: true, entries }));
  await unwrap(sessions.create({ id: 'to', start: true }));
  const from = { tenant: 'default', id: 'from' };
  const moved = (await inner.find(from))._unsafeUnwrap()?.history ?? [];
  const to = { tenant: 'default', id: 'to' };
  (await inner.change(planAppend(to, { entries: moved, now: Date.now() })))._unsafeUnwrap();
  const read = await sessions.get('to');
  expect(read.isErr() && read.error.type).toBe('corrupt_record');
});

describe('the encrypted example leaves no clear text', () => {
  test('in a memory store', async () => {
    const secret = uniqueText();
    const store = new MemorySessionStore({ events: true });
    const answered = await sayEverywhere(store, secret);
    const { records } = (await store.page('default', { offset: 0, limit: 100 }))._unsafeUnwrap();
    const stream = store.events?.streamOf() ?? '';
    const events = (await store.events?.read(stream, '0', 1000))?._unsafeUnwrap();
    await expectNowhere(
      inspect([records, events, store], { depth: null, maxArrayLength: null }),
      secret,
      answered,
    );
  });

  test('in any row of a SQLite database', async () => {
    const secret = uniqueText();
    const database = openLibsql(':memory:');
    onTestFinished(() => void database.close());
    const store = new SqliteSessionStore({ database, events: true });
    await unwrap(store.migrate());
    const answered = await sayEverywhere(store, secret);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const rows = tables.map((table) =>
      database.prepare(`SELECT * FROM "${String(Object(table).name)}"`).all(),
    );
    await expectNowhere(JSON.stringify(rows), secret, answered);
  });
});

describeWithPostgres('the encrypted example leaves no clear text', ({ url }) => {
  test('in any row of a PostgreSQL database', async () => {
    const secret = uniqueText();
    const pool = openPool({ url });
    onTestFinished(() => pool.end());
    const schema = schemaName();
    const store = new PostgresSessionStore({ pool, schema, events: true, timeoutMs: PATIENT_MS });
    await unwrap(store.migrate());
    const answered = await sayEverywhere(store, secret);
    const tables = await pool.query(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = $1',
      [schema],
    );
    const dump: unknown[] = [];
    for (const { table_name: name } of tables.rows)
      dump.push((await pool.query(`SELECT t::text FROM "${schema}"."${name}" t`)).rows);
    await expectNowhere(JSON.stringify(dump), secret, answered);
  });
});

describeWithRedis('the encrypted example leaves no clear text', ({ url }) => {
  test('in any key or value of Redis', async () => {
    const secret = uniqueText();
    const client = new Redis(url);
    onTestFinished(async () => void (await client.quit()));
    const prefix = `encrypted-${process.pid}`;
    const store = new RedisSessionStore({ client, prefix, events: true, timeoutMs: PATIENT_MS });
    const answered = await sayEverywhere(store, secret);
    const keys = await client.keys(`*${prefix}*`);
    const dump = await Promise.all(keys.map(async (name) => [name, await storedAt(client, name)]));
    await expectNowhere(JSON.stringify(dump), secret, answered);
  });
});

const storedAt = async (client: Redis, key: string): Promise<unknown> => {
  switch (await client.type(key)) {
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, 0, -1, 'WITHSCORES');
    default:
      return client.xrange(key, '-', '+');
  }
};
