import { ResultAsync } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { EventLog, SessionStore } from '../../src/store/session-store.js';
import type { MigrateOptions, Migration } from '../sql/sql-deployment.js';
import { Connection } from './connection.js';
import { GroupWriter } from './group-writer.js';
import { migrate } from './migrate.js';
import { stepWriter } from './pending-commit.js';
import { channelOf, PostgresEventLog } from './postgres-event-log.js';
import {
  type PostgresSessionStoreOptions,
  parseClient,
  parseStoreOptions,
} from './postgres-session-store-options.js';
import { SessionCalls } from './session-calls.js';

/**
 * Keeps sessions in PostgreSQL (13 or later), shared by any number of processes, through the host's
 * own pool. Call `migrate()` once before the first operation. Every change is one statement and one
 * transaction, and holds no lock between round trips.
 *
 * @example
 * ```ts no-run
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/calls' });
 * pool.on('error', console.error); // without it, a lost idle connection ends the process
 * const store = new PostgresSessionStore({ pool });
 * await unwrap(store.migrate());
 * const sessions = new SessionService({ store });
 * ```
 */
export class PostgresSessionStore extends SessionCalls implements SessionStore {
  readonly #connection: Connection;
  readonly #log: PostgresEventLog;

  /** Throws a `TypeError` that names every invalid or unknown option. */
  constructor(options: PostgresSessionStoreOptions) {
    const settings = parseStoreOptions(options);
    const connection = new Connection(settings);
    const log = new PostgresEventLog(connection, settings);
    super(connection, new GroupWriter(), () => log.publishSoon());
    this.#connection = connection;
    this.#log = log;
  }

  /**
   * The log of changes; undefined if `events` is false in the options. Watches need a database with
   * events enabled.
   */
  get events(): EventLog | undefined {
    return this.#connection.settings.events === false ? undefined : this.#log;
  }

  /**
   * Makes the schema and its tables, or upgrades the tables of an earlier version. Safe to call at
   * every start, concurrently from several processes; only reads if the tables exist. Every
   * operation fails with `misconfigured` until the first call. Never throws or rejects.
   *
   * The call that makes the tables stores `events` and `reportEnds` for all processes; later calls
   * with other values fail with `misconfigured`. With `reconfigure`, the stored settings change to
   * the options of this process. Running processes keep the settings that they have read, so stop
   * them first.
   *
   * @example
   * ```ts
   * const store = new PostgresSessionStore({ pool });
   * const migrated = await store.migrate();
   * if (migrated.isErr()) console.error(migrated.error.message);
   * else console.log(migrated.value.from); // 0
   * ```
   *
   * @example
   * ```ts
   * await unwrap(new PostgresSessionStore({ pool }).migrate());
   * const store = new PostgresSessionStore({ pool, events: true });
   * await unwrap(store.migrate({ reconfigure: true })); // from now on, there are events
   * ```
   */
  migrate(options: MigrateOptions = {}): ResultAsync<Migration, StoreUnavailable | Misconfigured> {
    return new ResultAsync(migrate(this.#connection, options));
  }

  /**
   * This store within a transaction that the host has begun with READ COMMITTED on a connection to
   * the same database; see `SessionService.within`. Throws a `TypeError` if `client` is no such
   * connection.
   */
  within(client: object): SessionStore {
    const { settings } = this.#connection;
    const source = this.#connection.within(parseClient(client, settings.host));
    return new SessionCalls(source, stepWriter(channelOf(settings)));
  }
}
