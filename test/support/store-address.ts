import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { unwrap } from '../../src/service/unwrap.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { type ClientVersion, connectClient } from './client-versions.js';
import { PATIENT_MS } from './patience.js';
import { openPool } from './postgres-schema.js';
import { openLibsql } from './sqlite-file.js';

interface RedisPlace {
  readonly type: 'redis';
  readonly version: ClientVersion;
  readonly port: number;
  readonly prefix: string;
}

interface SqlitePlace {
  readonly type: 'sqlite';
  readonly file: string;
}

interface PostgresPlace {
  readonly type: 'postgres';
  readonly url: string;
  readonly schema: string;
}

/** Location of a database for all processes. It travels as JSON. */
export type StoreAddress = RedisPlace | SqlitePlace | PostgresPlace;

/** A store with a connection of its own. */
export interface ConnectedStore {
  readonly store: SessionStore;
  readonly ready: Promise<unknown>;
  close(): unknown;
}

/** Timeouts allow for a busy machine, and events are recorded. */
const openRedis = ({ version, port, prefix }: RedisPlace): ConnectedStore => {
  const client = connectClient(version, { port });
  const store = new RedisSessionStore({
    client,
    prefix,
    timeoutMs: PATIENT_MS,
    reportEnds: true,
    events: true,
  });
  return { store, ready: client.call('GET', prefix), close: () => client.disconnect() };
};

const openSqlite = ({ file }: SqlitePlace): ConnectedStore => {
  const database = openLibsql(file);
  const store = new SqliteSessionStore({ database, reportEnds: true, events: true });
  return { store, ready: unwrap(store.migrate()), close: () => database.close() };
};

const openPostgres = ({ url, schema }: PostgresPlace): ConnectedStore => {
  const pool = openPool({ url }, { max: 5, connectionTimeoutMillis: PATIENT_MS });
  const deployment = { reportEnds: true, events: true };
  const store = new PostgresSessionStore({ pool, schema, timeoutMs: PATIENT_MS, ...deployment });
  return { store, ready: pool.query('SELECT'), close: () => pool.end() };
};

/** Opens a store in this process, which may be a worker. */
export const openStoreAt = (address: StoreAddress): ConnectedStore => {
  if (address.type === 'redis') return openRedis(address);
  return address.type === 'sqlite' ? openSqlite(address) : openPostgres(address);
};
