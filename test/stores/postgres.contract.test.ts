import { afterAll, describe, inject, test } from 'vitest';
import type {
  PostgresPool,
  PostgresSessionStore,
  PostgresSessionStoreOptions,
} from '../../adapters/postgres/index.js';
import { escapeName } from '../../adapters/stored/escape-name.js';
import { type Corrupt, describeSessionStore } from '../../src/testing/index.js';
import { forFurtherClients } from '../support/contract-cases.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPglite } from '../support/pglite-pool.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';

const damages = {
  state: (schema: string) => `UPDATE ${schema}.sessions SET state = '{"status":"FROM THE FUTURE"}'`,
  head: (schema: string) => `UPDATE ${schema}.sessions SET head = '[]'`,
  history: (schema: string) =>
    `UPDATE ${schema}.entries SET entry = '{"role":"user","cont' FROM ${schema}.sessions`,
  inbox: (schema: string) => `UPDATE ${schema}.messages SET entry = '{' FROM ${schema}.sessions`,
};

const describeOn = (pool: PostgresPool): void => {
  const schemas = postgresSchemas(pool);
  const schemaOf = new WeakMap<PostgresSessionStore, string>();
  const make = async (options: Omit<PostgresSessionStoreOptions, 'pool' | 'schema'> = {}) => {
    const opened = await schemas.open(options);
    schemaOf.set(opened.store, opened.schema);
    return opened;
  };
  const corrupt: Corrupt<PostgresSessionStore> = async (store, { tenant, id }, part) => {
    const joins = {
      history: 'session = sessions.number AND',
      inbox: 'session = sessions.number AND entry IS NOT NULL AND',
    };
    const join = part === 'history' || part === 'inbox' ? joins[part] : '';
    const where = `${join} sessions.tenant = '${escapeName(tenant)}' AND sessions.id = '${escapeName(id)}'`;
    await schemas.run(`${damages[part](schemaOf.get(store) ?? '')} WHERE ${where}`);
  };
  describeSessionStore(test, () => make({ events: true }), { corrupt });

  describe('without events', () => {
    describeSessionStore(forFurtherClients(test), make, { corrupt, without: ['events'] });
  });
};

describeWithPostgres('PostgresSessionStore', (postgres) => {
  const pool = openPool(postgres);
  afterAll(() => pool.end());
  describeOn(pool);
});

if (inject('postgres') === undefined) {
  describe('PostgresSessionStore on PGlite', async () => {
    const { pool, close } = await openPglite();
    afterAll(close);
    describeOn(pool);
  });
}
