import type { PoolConfig } from 'pg';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import {
  PostgresSessionStore,
  type PostgresSessionStoreOptions,
} from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/index.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import type { PostgresAddress } from '../../support/postgres-server.js';
import { openProxy, type Rewrite } from '../../support/tcp-proxy.js';
import type { PostgresDatabase } from '../databases/database.js';
import { ask, makeTables } from './mortal-server.js';

/** An empty schema, which goes with the test. */
export const emptySchema = async (
  { url }: PostgresAddress,
  reportEnds = false,
): Promise<PostgresDatabase> => {
  const database = { kind: 'postgres', url, schema: schemaName() } as const;
  await makeTables(database, reportEnds);
  onTestFinished(async () => void (await ask(url, `DROP SCHEMA "${database.schema}" CASCADE`)));
  return database;
};

/** A host on a schema with postgres.js. */
const openWithPostgresJs = ({ url, schema }: PostgresDatabase) => {
  const sql = postgres(url, { max: 5, fetch_types: false, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return new PostgresSessionStore({ sql, schema, events: true, timeoutMs: PATIENT_MS });
};

/** A host on a schema with the client of the database. */
export const openAnyHost = (database: PostgresDatabase) => {
  const store =
    database.client === 'postgres.js' ? openWithPostgresJs(database) : openHost(database).store;
  return { store, sessions: new SessionService({ store }) };
};

/** A host on a schema, with a pool of its own. */
export const openHost = (
  { url, schema }: PostgresDatabase,
  pooling: PoolConfig = {},
  options: Omit<PostgresSessionStoreOptions, 'pool' | 'sql' | 'schema'> = {},
) => {
  const pool = openPool({ url }, { max: 5, ...pooling });
  onTestFinished(() => pool.end());
  const store = new PostgresSessionStore({
    pool,
    schema,
    events: true,
    timeoutMs: PATIENT_MS,
    ...options,
  });
  return { pool, store, sessions: new SessionService({ store }) };
};

/** The same schema behind a proxy, which may rewrite what the server answers. */
export const behindProxy = async (
  database: PostgresDatabase,
  { port }: PostgresAddress,
  rewrite?: Rewrite,
) => {
  const proxy = await openProxy(port, rewrite);
  return {
    proxy,
    database: { ...database, url: database.url.replace(`:${port}/`, `:${proxy.port}/`) },
  };
};
