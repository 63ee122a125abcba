import postgres from 'postgres';
import { describe } from 'vitest';
import { describeWithPostgres } from './describe-with-postgres.js';
import { hostOf, openPool } from './postgres-schema.js';
import type { PostgresAddress } from './postgres-server.js';

/** A pool that `postgresClients` has opened. */
export interface OpenClient {
  /** The store option with this client. */
  readonly host: ReturnType<typeof hostOf>;
  /** Runs SQL on one of its connections. */
  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  end(): Promise<void>;
}

type Address = Pick<PostgresAddress, 'url'>;

const openWithPg = (address: Address, max: number): OpenClient => {
  const pool = openPool(address, { max });
  const ask = async (sql: string) => (await pool.query<Record<string, unknown>>(sql)).rows;
  return { host: hostOf(pool), ask, end: () => pool.end() };
};

const openWithPostgresJs = ({ url }: Address, max: number): OpenClient => {
  const sql = postgres(url, { max, fetch_types: false, onnotice: () => undefined });
  return { host: hostOf(sql), ask: async (text) => sql.unsafe(text), end: () => sql.end() };
};

/** PostgreSQL clients that behave differently. */
export const postgresClients = [
  { client: 'pg', open: openWithPg },
  { client: 'postgres.js', open: openWithPostgresJs },
] as const;

/** `describeWithPostgres` with each of these clients. */
export const describeWithClients = (
  name: string,
  define: (server: PostgresAddress, open: typeof openWithPg) => void,
): void =>
  describeWithPostgres(name, (server) => {
    describe.each(postgresClients)('with $client', ({ open }) => define(server, open));
  });
