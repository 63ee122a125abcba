import { Pool as NeonPool, neonConfig } from '@neondatabase/serverless';
import postgres from 'postgres';
import { afterAll, describe, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import type {
  PostgresPool,
  PostgresSessionStore,
  PostgresSessionStoreOptions,
  PostgresSql,
} from '../../adapters/postgres/index.js';
import { escapeName } from '../../adapters/stored/escape-name.js';
import { type Corrupt, describeSessionStore, type TestFunction } from '../../src/testing/index.js';
import { isLong } from '../support/continuous-integration.js';
import { forFurtherClients, fromOneSeed } from '../support/contract-cases.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPglite } from '../support/pglite-pool.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openWebSocketProxy } from '../support/websocket-proxy.js';

const damages = {
  state: (schema: string) => `UPDATE ${schema}.sessions SET state = '{"status":"FROM THE FUTURE"}'`,
  head: (schema: string) => `UPDATE ${schema}.sessions SET head = '[]'`,
  history: (schema: string) =>
    `UPDATE ${schema}.entries SET entry = '{"role":"user","cont' FROM ${schema}.sessions`,
  inbox: (schema: string) => `UPDATE ${schema}.messages SET entry = '{' FROM ${schema}.sessions`,
};

const describeOn = (pool: PostgresPool | PostgresSql, register: TestFunction = test): void => {
  const schemas = postgresSchemas(pool);
  const schemaOf = new WeakMap<PostgresSessionStore, string>();
  const make = async (
    options: Omit<PostgresSessionStoreOptions, 'pool' | 'sql' | 'schema'> = {},
  ) => {
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
  const first = register === test ? fromOneSeed(test) : register;
  describeSessionStore(first, () => make({ events: true }), { corrupt });

  if (register !== test) return;
  describe('without events', () => {
    describeSessionStore(forFurtherClients(test), make, { corrupt, without: ['events'] });
  });
};

/** Settings of postgres.js that change how it encodes parameters and results. */
const OTHERWISE = {
  prepare: false,
  fetch_types: false,
  max: 1,
  types: {
    bigint: postgres.BigInt,
    json: { to: 114, from: [114, 3802], serialize: String, parse: String },
  },
  transform: { undefined: null },
  debug: () => undefined,
};

describeWithPostgres('PostgresSessionStore', (server) => {
  const pool = openPool(server);
  afterAll(() => pool.end());
  describeOn(pool);

  describe('on postgres.js', () => {
    const sql = postgres(server.url);
    afterAll(() => sql.end());
    describeOn(sql, forFurtherClients(test));
  });

  describe.runIf(isLong)('on postgres.js with other settings', () => {
    const sql = postgres(server.url, OTHERWISE);
    afterAll(() => sql.end());
    describeOn(sql, forFurtherClients(test));
  });

  describe('on the pool of Neon, over WebSockets', async () => {
    const proxy = await openWebSocketProxy(server.port);
    Object.assign(neonConfig, {
      webSocketConstructor: WebSocket,
      wsProxy: `127.0.0.1:${proxy.port}`,
      useSecureWebSocket: false,
      pipelineConnect: false,
    });
    const neon = new NeonPool({ connectionString: server.url });
    neon.on('error', () => undefined);
    afterAll(async () => {
      await neon.end();
      await proxy.close();
    });
    describeOn(neon, forFurtherClients(test));
  });
});

/** PGlite drops a byte order mark at the beginning of a text, which ids of messages may have. */
const onPglite =
  (register: TestFunction): TestFunction =>
  (name, run) =>
    name.startsWith('messages: any ids') ? undefined : register(name, run);

describe('PostgresSessionStore on PGlite', async () => {
  const { pool, close } = await openPglite();
  afterAll(close);
  describeOn(pool, onPglite(inject('postgres') === undefined ? test : forFurtherClients(test)));
});
