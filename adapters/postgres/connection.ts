import { err, ok } from 'neverthrow';
import { type Answer, Call } from './call.js';
import { type Failure, notConnected } from './failure.js';
import type { PostgresClient, PostgresPool } from './postgres-session-store-options.js';

const ignore = (): void => undefined;

const guarded = new WeakSet<PostgresClient | PostgresPool>();

/** An error event without a listener would end the process. The error itself rejects the query. */
const guard = (client: PostgresClient): void => {
  if (!guarded.has(client)) client.on?.('error', ignore);
  guarded.add(client);
};

/** The host's pool. */
export class Connection {
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;

  constructor(pool: PostgresPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
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
    return new Call(() => this.connect(), this.#timeoutMs);
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
