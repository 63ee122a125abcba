import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { deploymentIn, refusalOfSettings, type SqlDeployment, wantedOf } from '../sql/sql-deployment.js';
import { type Answer, Call, type CallSource } from './call.js';
import { type Failure, notConnected } from './failure.js';
import type { PostgresClient, PostgresPool, PostgresSettings } from './postgres-session-store-options.js';

const ignore = (): void => undefined;

const guarded = new WeakSet<PostgresClient | PostgresPool>();

/** An error event without a listener would end the process. The error itself rejects the query. */
const guard = (client: PostgresClient): void => {
  if (!guarded.has(client)) client.on?.('error', ignore);
  guarded.add(client);
};

/** The host's pool. */
export class Connection implements CallSource {
  readonly #pool: PostgresPool;
  readonly #settings: PostgresSettings;
  /** Known from the first call on. */
  #deployment: Result<SqlDeployment, never> | undefined;
  /** The request that is on its way: calls at the same time share it. */
  #reading: Answer<SqlDeployment> | undefined;

  constructor(settings: PostgresSettings) {
    const { pool } = settings;
    this.#pool = pool;
    this.#settings = settings;
    // A new connection can fail before a promise has handed it over, with the bytes that say it is ready.
    if (!guarded.has(pool)) pool.on?.('connect', guard);
    guarded.add(pool);
  }

  /** Whether the host has ended the pool, as far as the pool says so. */
  get isClosed(): boolean {
    return this.#pool.ending === true || this.#pool.ended === true;
  }

  /** Begins a call of the store. */
  begin(): Call {
    return new Call(this, this.#settings.timeoutMs);
  }

  /** The settings of the deployment, unless this process asks for others. They are read once. */
  async deployment(read: (text: string) => Answer<readonly Fields[]>): Answer<SqlDeployment> {
    if (this.#deployment !== undefined) return this.#deployment;
    this.#reading ??= this.#read(read).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(read: (text: string) => Answer<readonly Fields[]>): Answer<SqlDeployment> {
    const rows = await read(`SELECT name, value FROM "${this.#settings.schema}".meta`);
    if (rows.isErr()) return err(rows.error);
    const stored = deploymentIn(rows.value);
    const refusal = refusalOfSettings('PostgresSessionStore', this.#settings, stored);
    if (refusal !== undefined) return err(refusal);
    this.#deployment = ok(wantedOf(this.#settings, stored));
    return this.#deployment;
  }

  /** Reads the settings again with the next call. */
  forget(): void {
    this.#deployment = undefined;
  }

  /** Lends a connection, which the caller has to release. */
  async connect(): Answer<PostgresClient, Failure> {
    try {
      const client = await this.#pool.connect();
      guard(client);
      return ok(client);
    } catch (cause) {
      return err(notConnected(cause));
    }
  }
}
