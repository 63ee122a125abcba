import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { unwrap } from './cli-error.js';
import type { Database } from './database.js';
import { databaseUrl } from './database-url.js';
import { requirePackage } from './load-package.js';
import { printError } from './print.js';

const help = `  --postgres URL, $COLLOQUY_POSTGRES  A PostgreSQL server, such as postgres://127.0.0.1/app. Needs the
    package pg. Put a URL with a password in COLLOQUY_POSTGRES.
  --schema NAME, $COLLOQUY_SCHEMA  Schema of the tables in PostgreSQL. Default: colloquy.
`;

const form = {
  variable: 'COLLOQUY_POSTGRES',
  protocol: /^postgres(ql)?:$/,
  pathname: /^(\/[^/@]*)?$/,
  example: 'postgres://127.0.0.1/app or postgres://user:password@host:5432/database',
};

/** PostgreSQL. Creates or upgrades the tables, unless the use is read-only. */
export const postgres: Database = {
  help,
  open: async (given, { events = false, isReadOnly = false }, options) => {
    const url = databaseUrl(given, options, form);
    const rule = 'be 1 to 50 of the characters a-z 0-9 _, not a digit first';
    const schema = options.text('schema', /^[a-z_][a-z0-9_]{0,49}$/, rule) ?? 'colloquy';
    const storeName = `PostgreSQL at ${url.hostname}:${url.port || 5432}`;
    const { default: pg } = await requirePackage('pg', () => import('pg'));
    const pool = new pg.Pool({
      connectionString: url.href,
      connectionTimeoutMillis: 4000,
      allowExitOnIdle: true,
      ...(isReadOnly && { options: '-c default_transaction_read_only=on' }),
    });
    pool.on('error', ({ message }) => void printError(`${storeName}: ${message}`));
    const store = new PostgresSessionStore({ pool, schema, ...(events && { events }) });
    if (!isReadOnly) unwrap(storeName, await store.migrate());
    return { store, storeName, isShared: true, close: () => void pool.end() };
  },
};
