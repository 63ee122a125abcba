import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/errors.js';
import { type Fields, isFields } from '../../src/input/values.js';
import type { Query } from '../sql/page-query.js';
import { type Failure, failureOf, notConnected, timedOut } from './failure.js';
import type { PostgresClient, PostgresPool } from './postgres-session-store-options.js';

/** The result of a call of the store. */
export type Answer<T, E = StoreUnavailable | Misconfigured> = Promise<Result<T, E>>;

type Value = string | number | boolean | null | readonly string[];

/** The outcome of a call that may have been committed: no read can. */
type Doubt = StoreUnavailable['outcome'];

/** Numbers the `?` of a query. */
const numbered = ({ sql, values }: Query): { readonly text: string; readonly values: readonly Value[] } => {
  let count = 0;
  const number = (): string => {
    count += 1;
    return `$${count}`;
  };
  return { text: sql.replaceAll('?', number), values };
};

const rowsOf = (result: unknown): readonly Fields[] => {
  const rows: unknown = isFields(result) ? result['rows'] : undefined;
  return Array.isArray(rows) ? rows.filter(isFields) : [];
};

/** Number of attempts of a statement that other transactions are in the way of. */
const MAX_ATTEMPTS = 10;

const ignore = (): void => undefined;

/** An error event without a listener would end the process. The error itself rejects the query. */
const guarded = new WeakSet<PostgresClient>();

/** Statements on connections of the host's pool. Each is a transaction of its own. */
export class Connection {
  readonly #pool: PostgresPool;
  readonly #timeoutMs: number;

  constructor(pool: PostgresPool, timeoutMs: number) {
    this.#pool = pool;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether the host has ended the pool, as far as the pool says so. */
  get isClosed(): boolean {
    return this.#pool.ending === true || this.#pool.ended === true;
  }

  /** A read never has a doubtful outcome, and is repeated once on another connection if one was lost. */
  async read(text: string, values: readonly Value[] = []): Answer<readonly Fields[]> {
    const first = await this.#send(text, values, 'not_applied');
    const isLost = first.isErr() && first.error.kind === 'lost';
    const result = isLost ? await this.#send(text, values, 'not_applied') : first;
    return result.mapErr(({ error }) => error);
  }

  query(query: Query): Answer<readonly Fields[]> {
    const { text, values } = numbered(query);
    return this.read(text, values);
  }

  /** A write is repeated only if the server has undone it because other transactions were in the way. */
  async write(text: string, values: readonly Value[] = []): Answer<readonly Fields[]> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(text, values, 'unknown');
      const isInTheWay = result.isErr() && result.error.kind === 'conflict';
      if (!isInTheWay || attempt === MAX_ATTEMPTS) return result.mapErr(({ error }) => error);
    }
  }

  /** Lends a connection, which the caller has to release. */
  async connect(): Answer<PostgresClient, Failure> {
    try {
      const client = await this.#pool.connect();
      if (!guarded.has(client)) client.on?.('error', ignore);
      guarded.add(client);
      return ok(client);
    } catch (cause) {
      return err(notConnected(cause));
    }
  }

  /** At the timeout, a connection that has not answered is closed, since its answer may still come. */
  async #send(text: string, values: readonly Value[], doubt: Doubt): Answer<readonly Fields[], Failure> {
    let client: PostgresClient | undefined;
    let isLate = false;
    const release = (destroy: boolean): void => {
      const lent = client;
      client = undefined;
      lent?.release(destroy);
    };
    const attempt = async (): Answer<readonly Fields[], Failure> => {
      const connected = await this.connect();
      if (connected.isErr()) return err(connected.error);
      client = connected.value;
      try {
        if (isLate) return err(timedOut('not_applied'));
        return ok(rowsOf(await client.query(text, values.length === 0 ? undefined : [...values])));
      } catch (cause) {
        const failure = failureOf(cause, doubt);
        if (failure.kind === 'lost') release(true);
        return err(failure);
      } finally {
        release(false);
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Result<never, Failure>>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(err(timedOut(client === undefined ? 'not_applied' : doubt)));
        release(true);
      }, this.#timeoutMs);
    });
    const result = await Promise.race([attempt(), timeout]);
    clearTimeout(timer);
    return result;
  }
}
