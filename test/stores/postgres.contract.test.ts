import { afterAll, test } from 'vitest';
import type { PostgresSessionStore, PostgresSessionStoreOptions } from '../../adapters/postgres/index.js';
import { escapeName } from '../../src/store/escape-name.js';
import { type Corrupt, describeSessionStore } from '../../src/testing/index.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';

const damages = {
  state: (schema: string) => `UPDATE ${schema}.sessions SET state = '{"status":"FROM THE FUTURE"}'`,
  head: (schema: string) => `UPDATE ${schema}.sessions SET head = '[]'`,
  history: (schema: string) => `UPDATE ${schema}.entries SET entry = '{"role":"user","cont' FROM ${schema}.sessions`,
};

describeWithPostgres('PostgresSessionStore', (postgres) => {
  const pool = openPool(postgres);
  const schemas = postgresSchemas(pool);
  afterAll(() => pool.end());

  const schemaOf = new WeakMap<PostgresSessionStore, string>();
  const make = async (options: Omit<PostgresSessionStoreOptions, 'pool' | 'schema'> = {}) => {
    const opened = await schemas.open(options);
    schemaOf.set(opened.store, opened.schema);
    return opened;
  };
  const corrupt: Corrupt<PostgresSessionStore> = async (store, { tenant, id }, part) => {
    const isEntry = part === 'history' ? 'session = number AND' : '';
    const sql = `${damages[part](schemaOf.get(store) ?? '')} WHERE ${isEntry} tenant = $1 AND id = $2`;
    await pool.query(sql, [escapeName(tenant), escapeName(id)]);
  };
  describeSessionStore(test, make, {
    corrupt,
    withStatuses: make,
    withEvents: () => make({ events: true }),
  });
});
