import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { openPool } from './postgres-schema.js';
import { openLibsql } from './sqlite-file.js';
import type { StoreAddress } from './store-address.js';

type Place<T extends StoreAddress['type']> = Extract<StoreAddress, { readonly type: T }>;

const ofRedis = async ({ port, prefix }: Place<'redis'>) => {
  const client = new Redis(port, '127.0.0.1');
  const keys = async (): Promise<string[]> => Object(await client.call('KEYS', `${prefix}:*`));
  const kept = await Promise.all(
    (await keys()).map(async (key) => [key, await client.callBuffer('DUMP', key)] as const),
  );
  return async (): Promise<void> => {
    const all = client.multi().del(await keys());
    for (const [key, value] of kept) all.call('RESTORE', key, 0, Buffer.from(Object(value)));
    await all.exec();
    client.disconnect();
  };
};

/** Totals last, because triggers update them. */
const tables = [
  'sessions',
  'heads',
  'entries',
  'operations',
  'labels',
  'events',
  'outbox',
  'totals',
];

const ofSqlite = async ({ file }: Place<'sqlite'>) => {
  const database = openLibsql(file);
  database.exec(`VACUUM INTO '${file}.copy'; ATTACH '${file}.copy' AS copy`);
  const names = database
    .prepare("SELECT name FROM copy.sqlite_master WHERE type = 'table'")
    .pluck()
    .all();
  const known = tables.map((table) => `colloquy_${table}`).filter((name) => names.includes(name));
  return async (): Promise<void> => {
    const statements = known.map(
      (name) => `DELETE FROM main.${name}; INSERT INTO main.${name} SELECT * FROM copy.${name}`,
    );
    database.exec(`BEGIN IMMEDIATE; ${statements.join('; ')}; COMMIT`);
    database.close();
    rmSync(`${file}.copy`);
  };
};

const ofPostgres = async ({ url, schema }: Place<'postgres'>) => {
  const pool = openPool({ url }, { max: 1 });
  const { rows } = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
    schema,
  ]);
  const known = tables.filter((table) => rows.some(({ tablename }) => tablename === table));
  const copies = known.map(
    (name) => `CREATE TEMP TABLE ${name}_copy AS SELECT * FROM "${schema}".${name}`,
  );
  await pool.query(copies.join('; '));
  return async (): Promise<void> => {
    const statements = known.map(
      (name) =>
        `DELETE FROM "${schema}".${name}; INSERT INTO "${schema}".${name} OVERRIDING SYSTEM VALUE SELECT * FROM ${name}_copy`,
    );
    await pool.query(statements.join('; '));
    await pool.end();
  };
};

/** Copies a database. The returned function restores the copy, once, as an operator would. */
export const olderCopyOf = async (address: StoreAddress): Promise<() => Promise<void>> => {
  if (address.type === 'redis') return ofRedis(address);
  return address.type === 'sqlite' ? ofSqlite(address) : ofPostgres(address);
};
