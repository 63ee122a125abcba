import { err, ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { type Fields, isFields } from '../../src/input/values.js';
import type { Query } from '../sql/page-query.js';
import { failureOf, notConnected, timedOut } from './failure.js';
import type { PostgresClient, PostgresPool } from './postgres-session-store-options.js';

/** The result of a call of the store. */
export type Answer<T, E = StoreUnavailable> = Promise<Result<T, E>>;

type Value = string | number | boolean | null | readonly string[];

/** A statement with `$1`, `$2` ... for its values. */
interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Numbers the `?` of a query. */
const numbered = ({ sql, values }: Query): Statement => {
  let count = 0;
  const text = sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
  return { text, values };
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
    const first = await this.#send({ text, values }, 'not_applied');
    if (first.isOk() || first.error.isRefusal || first.error.isTimeout) return first.mapErr(({ error }) => error);
    return (await this.#send({ text, values }, 'not_applied')).mapErr(({ error }) => error);
  }

  query(query: Query): Answer<readonly Fields[]> {
    const { text, values } = numbered(query);
    return this.read(text, values);
  }

  /** A write is repeated only if the server has undone it because other transactions were in the way. */
  async write(text: string, values: readonly Value[] = []): Answer<readonly Fields[]> {
    for (let attempt = 1; ; attempt += 1) {
      const sent = await this.#send({ text, values }, 'unknown');
      if (sent.isOk() || !sent.error.isConflict || attempt === MAX_ATTEMPTS) return sent.mapErr(({ error }) => error);
    }
  }

  /** Lends a connection, which the caller has to release. */
  async connect(): Answer<PostgresClient> {
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
  async #send({ text, values }: Statement, doubt: StoreUnavailable['outcome']) {
    type Failed = {
      readonly error: StoreUnavailable;
      readonly isRefusal: boolean;
      readonly isConflict: boolean;
      readonly isTimeout: boolean;
    };
    const plain = { isRefusal: false, isConflict: false, isTimeout: false };
    let release: ((destroy: boolean) => void) | undefined;
    let isOver = false;
    const work = async (): Promise<Result<readonly Fields[], Failed>> => {
      const connected = await this.connect();
      if (connected.isErr()) return err({ ...plain, error: connected.error });
      const client = connected.value;
      release = (destroy) => {
        release = undefined;
        client.release(destroy);
      };
      if (isOver) {
        release(false);
        return err({ ...plain, error: timedOut('not_applied') });
      }
      try {
        const result = await client.query(text, values.length === 0 ? undefined : [...values]);
        release?.(false);
        return ok(rowsOf(result));
      } catch (cause) {
        const failure = failureOf(cause, doubt);
        release?.(!failure.isRefusal);
        return err({ ...failure, isTimeout: false });
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Result<never, Failed>>((resolve) => {
      timer = setTimeout(() => {
        isOver = true;
        const error = timedOut(release === undefined ? 'not_applied' : doubt);
        release?.(true);
        resolve(err({ ...plain, error, isTimeout: true }));
      }, this.#timeoutMs);
    });
    try {
      return await Promise.race([work(), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }
}
