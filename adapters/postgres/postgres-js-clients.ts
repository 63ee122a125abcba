import { type Fields, isFields } from '../../src/session/fields.js';
import { rowsIn } from '../sql/query.js';
import {
  type Clients,
  ignore,
  type PostgresConnection,
  type SentStatement,
  type SentValue,
  TOO_LATE,
} from './clients.js';
import type { PostgresSql, PostgresSqlConnection } from './postgres-session-store-options.js';

/** A number of places, which are taken in the order of the requests. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async take(): Promise<void> {
    this.#free -= 1;
    if (this.#free < 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    this.#free += 1;
    this.#waiting.shift()?.();
  }
}

interface SqlState {
  isEnded: boolean;
  /** Whether the server no longer knows its prepared statements. */
  isGivenUp: boolean;
}

const newState = (): SqlState => ({ isEnded: false, isGivenUp: false });

/**
 * The rows in an answer of postgres.js; undefined if it is not the complete answer to a statement.
 * The array has holes if its connection was lost in the middle of an earlier answer.
 */
const rowsOf = (result: unknown): readonly Fields[] | undefined => {
  if (!Array.isArray(result) || typeof Reflect.get(result, 'command') !== 'string')
    return undefined;
  const rows: readonly unknown[] = result;
  return rowsIn(rows.flatMap((row) => [row]));
};

/** postgres.js converts a value to text only when it sends it. */
const whenSent = (value: SentValue) =>
  typeof value === 'function' ? { [Symbol.toPrimitive]: () => value() ?? TOO_LATE } : value;

const isRetried = (query: unknown): boolean => isFields(query) && query['retried'] !== undefined;

const isEnd = (cause: unknown): boolean => isFields(cause) && cause['code'] === 'CONNECTION_ENDED';

/**
 * A `sql` of postgres.js. A pool chooses a connection for each statement, and sends the statement
 * even if its call has given up.
 */
export const connectionOfSql = (
  sql: PostgresSqlConnection,
  state = newState(),
  released: () => void = ignore,
): PostgresConnection => {
  let settled: Promise<unknown> = Promise.resolve();
  const run = async ({ name, text, values = [] }: SentStatement) => {
    const prepare = name !== undefined && !state.isGivenUp;
    const query = sql.unsafe(text, values.map(whenSent), { prepare });
    try {
      return rowsOf(await query);
    } catch (cause) {
      if (isEnd(cause)) state.isEnded = true;
      throw cause;
    } finally {
      if (isRetried(query)) state.isGivenUp = true;
    }
  };
  return {
    query(statement) {
      const rows = run(statement);
      settled = rows.catch(ignore);
      return rows;
    },
    release: () => void settled.then(released),
  };
};

const makeClients = (sql: PostgresSql): Clients => {
  const state = newState();
  // With more statements than connections, postgres.js would send one behind another that waits.
  const places = new Places(sql.options.max);
  return {
    get isClosed() {
      return state.isEnded;
    },
    async connect() {
      await places.take();
      return connectionOfSql(sql, state, () => places.give());
    },
    async transaction<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
      const results: { readonly value: T }[] = [];
      await sql.begin('ISOLATION LEVEL READ COMMITTED', async (transaction) => {
        results.push({ value: await work(connectionOfSql(transaction)) });
      });
      const [result] = results;
      if (result === undefined) throw new Error('postgres.js did not run the transaction');
      return result.value;
    },
    async subscribe(channel, { notified, missed }) {
      // After a lost connection, postgres.js listens again.
      const { unlisten } = await sql.listen(channel, notified, missed);
      return {
        hasRoom: async () => true,
        stop: () => void unlisten().then(ignore, ignore),
      };
    },
  };
};

const known = new WeakMap<PostgresSql, Clients>();

/** The pool of postgres.js. All stores share its places. */
export const clientsOfSql = (sql: PostgresSql): Clients => {
  const clients = known.get(sql) ?? makeClients(sql);
  known.set(sql, clients);
  return clients;
};
