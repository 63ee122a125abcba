import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { PostgresPool } from '../../adapters/postgres/index.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { forFurtherClients } from '../support/contract-cases.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { openPool, postgresSchemas, schemaName } from '../support/postgres-schema.js';

/** Database settings that change how a server reads, writes, plans or checks. */
const SETTINGS = {
  extra_float_digits: '-15',
  bytea_output: 'escape',
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Kolkata',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  search_path: 'pg_temp',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  xmloption: 'document',
  plan_cache_mode: 'force_generic_plan',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
  row_security: 'off',
  session_replication_role: 'replica',
  default_transaction_deferrable: 'on',
  'plpgsql.variable_conflict': 'use_column',
  'plpgsql.extra_errors': 'all',
};

/** Queries that return the right order from an index even without ORDER BY. */
const ORDERED = ['take', 'page', 'label', 'updated', 'history'];

/** Before PostgreSQL 12, the default was 0. */
const FLOATS = { extra_float_digits: '0' };

describeWithPostgres('PostgresSessionStore in a database with other settings', (postgres) => {
  const admin = openPool(postgres);
  afterAll(() => admin.end());

  describe.each(
    moreIfLong([{ settings: SETTINGS }], [{ settings: FLOATS }, { settings: SETTINGS }]),
  )('$settings', ({ settings }) => {
    const database = schemaName();
    let pool: Pool | undefined;
    const lazy: PostgresPool = {
      connect: async () => {
        pool ??= openPool({ url: postgres.url.replace(/postgres$/, database) });
        return pool.connect();
      },
    };
    beforeAll(async () => {
      await admin.query(`CREATE DATABASE ${database}`);
      for (const [name, value] of Object.entries(settings)) {
        await admin.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
      }
    });
    afterAll(async () => {
      await pool?.end();
      await admin.query(`DROP DATABASE ${database}`);
    });
    const schemas = postgresSchemas(lazy);
    describeSessionStore(forFurtherClients(test, ORDERED), () => schemas.open({ events: true }));
  });
});
