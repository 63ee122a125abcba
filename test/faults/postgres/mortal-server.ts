import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import {
  type PostgresServer,
  type PostgresServerOptions,
  startPostgres,
} from '../../support/postgres-server.js';
import type { PostgresDatabase } from '../databases/database.js';

const SCHEMA = 'colloquy';

/**
 * A server that writes through to the disk, and starts again from what it has left, at the same
 * address.
 */
export class MortalServer {
  /** As the tests open it with pg. */
  readonly database: PostgresDatabase;
  readonly #options: PostgresServerOptions & { readonly port: number; readonly dir: string };
  #server: PostgresServer;

  private constructor(server: PostgresServer, options: PostgresServerOptions) {
    this.#server = server;
    this.#options = { ...options, port: server.port, dir: server.dir };
    this.database = { kind: 'postgres', url: server.url, schema: SCHEMA };
  }

  /** Ends with the test. */
  static async start(options: PostgresServerOptions = {}): Promise<MortalServer> {
    const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'colloquy-mortal-')));
    const all = { ...options, dir, args: ['-c', 'fsync=on', ...(options.args ?? [])] };
    const mortal = new MortalServer(await startPostgres(all), all);
    onTestFinished(async () => {
      await mortal.kill();
      await rm(dir, { recursive: true, force: true });
    });
    await makeTables(mortal.database);
    return mortal;
  }

  get port(): number {
    return this.#options.port;
  }

  get dir(): string {
    return this.#options.dir;
  }

  /** Kills all of its processes. */
  kill(): Promise<void> {
    return this.#server.stop('SIGKILL');
  }

  /** Starts it again, once it has ended by itself or was killed. */
  async restart(): Promise<void> {
    this.#server = await startPostgres(this.#options);
  }

  ask(...queries: readonly string[]): Promise<Rows> {
    return ask(this.database.url, ...queries);
  }
}

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Sends queries as a superuser, over a connection of its own. Gives the rows of the last one. */
export const ask = async (url: string, ...queries: readonly string[]): Promise<Rows> => {
  // Not under what a test has set for all others.
  const client = new Client({ connectionString: url, options: '-c statement_timeout=0' });
  // The server may end it while nothing is asked.
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: Rows = [];
    for (const query of queries) ({ rows } = await client.query<Record<string, unknown>>(query));
    return rows;
  } finally {
    await client.end();
  }
};

export const makeTables = async (
  { url, schema }: PostgresDatabase,
  reportEnds = false,
): Promise<void> => {
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  (
    await new PostgresSessionStore({ pool, schema, events: true, reportEnds }).migrate()
  )._unsafeUnwrap();
  await pool.end();
};
