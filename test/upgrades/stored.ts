import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { inject, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import type { SessionStore } from '../../src/index.js';
import { findPostgres } from '../support/postgres-binary.js';
import { openPool } from '../support/postgres-schema.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

/** A store whose contents can be saved as a file, and made again from it. */
export interface Kept {
  readonly store: SessionStore;
  migrate(): Promise<void>;
  save(): Promise<Buffer>;
}

/** Opens an empty store, or one with the contents of a file. */
export type Open = (saved?: Buffer) => Promise<Kept>;

const options = { events: true, reportEnds: true };

const openSqlite: Open = async (saved) => {
  const { file, remove } = sqliteFile();
  if (saved !== undefined) writeFileSync(file, saved);
  const database = openLibsql(file);
  onTestFinished(() => {
    database.close();
    remove();
  });
  const store = new SqliteSessionStore({ database, ...options });
  return {
    store,
    migrate: async () => void (await store.migrate())._unsafeUnwrap(),
    save: async () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return readFileSync(file);
    },
  };
};

/** The name of the schema is in what pg_dump writes. */
const SCHEMA = 'kept_by_a_release';

const openPostgres: Open = async (saved) => {
  const { url = '' } = inject('postgres') ?? {};
  const pool = openPool({ url });
  await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  const restoring = openPool({ url }, { max: 1 });
  if (saved !== undefined) await restoring.query(saved.toString());
  await restoring.end();
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
    await pool.end();
  });
  const store = new PostgresSessionStore({ pool, schema: SCHEMA, ...options });
  return {
    store,
    migrate: async () => void (await store.migrate())._unsafeUnwrap(),
    save: async () => {
      const program = join(findPostgres() ?? '', 'pg_dump');
      const how = ['--inserts', '--no-owner', '--no-privileges', `--schema=${SCHEMA}`, url];
      const { stdout } = await promisify(execFile)(program, how);
      // Commands of psql, which no server knows.
      return Buffer.from(stdout.replace(/^\\.*$/gm, ''));
    },
  };
};

const PREFIX = 'kept-by-a-release';

const openRedis: Open = async (saved) => {
  const { url = '' } = inject('redis') ?? {};
  const client = new Redis(url);
  const removeAll = async () => {
    const keys = await client.keys(`*${PREFIX}*`);
    if (keys.length > 0) await client.del(keys);
  };
  await removeAll();
  const keys: Readonly<Record<string, string>> = JSON.parse(saved?.toString() ?? '{}');
  for (const [key, value] of Object.entries(keys))
    await client.restore(key, 0, Buffer.from(value, 'base64'));
  onTestFinished(async () => {
    await removeAll();
    await client.quit();
  });
  return {
    store: new RedisSessionStore({ client, prefix: PREFIX, ...options }),
    migrate: async () => undefined,
    save: async () => {
      const names = (await client.keys(`*${PREFIX}*`)).toSorted();
      const dumped = await Promise.all(
        names.map(async (name) => [name, (await client.dumpBuffer(name)).toString('base64')]),
      );
      return Buffer.from(JSON.stringify(Object.fromEntries(dumped)));
    },
  };
};

export const openers = { sqlite: openSqlite, postgres: openPostgres, redis: openRedis };

const fileOf = (folder: string, kind: string): string => join(folder, `${kind}.gz`);

export const savedIn = (folder: string, kind: string): Buffer =>
  gunzipSync(readFileSync(fileOf(folder, kind)));

export const saveIn = (folder: string, kind: string, contents: Buffer): void =>
  writeFileSync(fileOf(folder, kind), gzipSync(contents, { level: 9 }));
