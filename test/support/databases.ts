import { describe, inject, it, onTestFinished } from 'vitest';
import { Keyspace } from '../../adapters/redis/keyspace.js';
import { escapeName } from '../../adapters/stored/escape-name.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import { type ClientVersion, clientVersions, connectClient } from './client-versions.js';
import { openPool, postgresSchemas } from './postgres-schema.js';
import { type Requirement, reasonToSkip, requirements } from './requirements.js';
import { openLibsql, sqliteFile } from './sqlite-file.js';
import { openStoreAt, type StoreAddress } from './store-address.js';

/** An empty database, which stores of several processes can share. */
export interface TestDatabase {
  readonly address: StoreAddress;
  /** Opens a store with a connection of its own. */
  open(): SessionStore;
  /** The remains of a removed session, except what recognises late writes. */
  remainsOf(key: SessionKey): Promise<readonly string[]>;
  /** Closes the stores, and removes the database. */
  close(): Promise<void>;
}

/** A kind of database that stores share. */
export interface DatabaseKind {
  readonly name: string;
  /** The program that the machine must have; undefined if every machine has it. */
  readonly requirement: Requirement | undefined;
  create(): Promise<TestDatabase>;
}

type Pieces = Pick<TestDatabase, 'address' | 'remainsOf'> & { remove(): unknown };

const databaseOf = ({ address, remainsOf, remove }: Pieces): TestDatabase => {
  const opened: { close(): unknown }[] = [];
  const open = (): SessionStore => {
    const connected = openStoreAt(address);
    opened.push(connected);
    return connected.store;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((each) => each.close()));
    await remove();
  };
  return { address, open, remainsOf, close };
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

let prefixes = 0;

const redis = (version: ClientVersion): DatabaseKind => ({
  name: `Redis with ${version}`,
  requirement: requirements.redis,
  create: async () => {
    prefixes += 1;
    const port = inject('redis')?.port ?? 0;
    const prefix = `shared-${process.pid}-${prefixes}`;
    const client = connectClient(version, { port });
    const remainsOf = async (key: SessionKey): Promise<readonly string[]> => {
      const {
        record,
        journal,
        operations,
        index,
        deadlines,
        idKey: member,
      } = new Keyspace(prefix, 1).of(key);
      const remains = {
        'its keys': await client.call('EXISTS', record, journal, operations),
        'its place in the lists': (await client.call('ZSCORE', index, member)) ?? 0,
        'its deadline': (await client.call('ZSCORE', deadlines, member)) ?? 0,
      };
      return Object.entries(remains).flatMap(([name, found]) => (found === 0 ? [] : [name]));
    };
    return databaseOf({
      address: { type: 'redis', version, port, prefix },
      remainsOf,
      remove: () => client.disconnect(),
    });
  },
});

/** Counts the rows of a tenant's sessions by table, without events. */
const REMAINS = `
  SELECT 'its row' AS remains FROM colloquy_sessions WHERE tenant = ?1 AND id = ?2
  UNION ALL SELECT 'its labels' FROM colloquy_labels WHERE tenant = ?1 AND id = ?2
  UNION ALL SELECT 'its head' FROM colloquy_heads WHERE session NOT IN (SELECT number FROM colloquy_sessions)
  UNION ALL SELECT 'its history' FROM colloquy_entries WHERE session NOT IN (SELECT number FROM colloquy_sessions)
  UNION ALL SELECT 'its operations' FROM colloquy_operations WHERE session NOT IN (SELECT number FROM colloquy_sessions)
  UNION ALL SELECT 'its place in the totals' FROM colloquy_totals WHERE tenant = ?1 AND sessions > 0`;

const sqlite: DatabaseKind = {
  name: 'SQLite in a file',
  requirement: undefined,
  create: async () => {
    const { file, remove } = sqliteFile();
    const remainsOf = async ({ tenant, id }: SessionKey): Promise<readonly string[]> => {
      const database = openLibsql(file);
      const rows = database.prepare(REMAINS).all(escapeName(tenant), escapeName(id));
      database.close();
      return rows.map((row) => String(Object(row).remains));
    };
    const address: StoreAddress = { type: 'sqlite', file };
    const first = openStoreAt(address);
    await first.ready;
    first.close();
    return databaseOf({ address, remainsOf, remove });
  },
};

const remainsIn = (schema: string): string => `
  SELECT 'its row' AS remains FROM ${schema}.sessions WHERE tenant = $1 AND id = $2
  UNION ALL SELECT 'its labels' FROM ${schema}.labels WHERE tenant = $1 AND id = $2
  UNION ALL SELECT 'its history' FROM ${schema}.entries WHERE session NOT IN (SELECT number FROM ${schema}.sessions)
  UNION ALL SELECT 'its operations' FROM ${schema}.operations WHERE session NOT IN (SELECT number FROM ${schema}.sessions)
  UNION ALL SELECT 'its place in the totals' FROM ${schema}.totals WHERE tenant = $1`;

const sharedSchemas = once(() => {
  const url = inject('postgres')?.url ?? '';
  const pool = openPool({ url }, { max: 2, allowExitOnIdle: true });
  return { url, pool, schemas: postgresSchemas(pool) };
});

const postgres: DatabaseKind = {
  name: 'PostgreSQL',
  requirement: requirements.postgres,
  create: async () => {
    const { url, pool, schemas } = sharedSchemas();
    const { schema, close } = await schemas.open({ events: true, reportEnds: true });
    const remainsOf = async ({ tenant, id }: SessionKey): Promise<readonly string[]> => {
      const { rows } = await pool.query(remainsIn(schema), [escapeName(tenant), escapeName(id)]);
      return rows.map((row) => String(Object(row).remains));
    };
    return databaseOf({ address: { type: 'postgres', url, schema }, remainsOf, remove: close });
  },
};

const [firstClient = 'ioredis 5', ...furtherClients] = clientVersions;

/** Each database once. */
export const databases: readonly DatabaseKind[] = [redis(firstClient), sqlite, postgres];

/** Each database with each of its clients. */
export const databasesAndClients: readonly DatabaseKind[] = [
  ...databases,
  ...furtherClients.map(redis),
];

/** A new database, which is removed after the test. */
export const newDatabase = async (kind: DatabaseKind): Promise<TestDatabase> => {
  const database = await kind.create();
  onTestFinished(() => database.close());
  return database;
};

/** `describe` for each kind of database. Reports a kind as skipped if the machine lacks it. */
export const describeDatabases = (
  name: string,
  define: (kind: DatabaseKind) => void,
  kinds = databases,
): void => {
  for (const kind of kinds) {
    const { requirement } = kind;
    describe(`${name}, on ${kind.name}`, () => {
      if (requirement?.isMet() === false) it.skip(reasonToSkip(requirement));
      else define(kind);
    });
  }
};
