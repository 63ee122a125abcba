import { type Fields, hasMethods, isFields } from '../../src/session/fields.js';
import { rowsIn } from '../sql/query.js';
import { Places } from './places.js';
import { type Subscriber, type Subscription, subscribeWith } from './pool-subscription.js';
import type {
  HostConnection,
  PostgresClient,
  PostgresPool,
  PostgresSql,
  PostgresSqlConnection,
} from './postgres-session-store-options.js';

/**
 * A value of a statement. A function is called when the statement is sent; without a result, it is
 * too late for the statement, and the server must refuse it.
 */
export type SentValue = string | number | boolean | null | (() => string | undefined);

/** No value that a statement can have for a number: the server runs nothing. */
const TOO_LATE = 'too late';

/** A statement as a connection gets it. */
export interface SentStatement {
  readonly text: string;
  readonly values?: readonly SentValue[] | undefined;
  /** With a name, a client that can prepare statements prepares it once per connection. */
  readonly name?: string | undefined;
}

/** A connection of the host, of any client. */
export interface PostgresConnection {
  /** Whether a statement may have reached the server while there was time for it. */
  readonly hasSent: boolean;
  /**
   * The rows of the answer; undefined if it has another form. Rejects with the error of the client.
   */
  query(statement: SentStatement): Promise<readonly Fields[] | undefined>;
  /** With true, a client that can close its connections closes this one. */
  release(destroy: boolean): void;
}

/** The connections that the host gives to the store, by a pool of any kind. */
export interface Clients {
  /** Whether the host has ended them, as far as they report it. */
  readonly isClosed: boolean;
  /** Whether they can subscribe. It may only be known after an attempt. */
  readonly canSubscribe: boolean;
  /** Borrows a connection, which the caller must release. Rejects if there is none. */
  connect(): Promise<PostgresConnection>;
  /**
   * Runs statements in one transaction with the isolation READ COMMITTED, which is undone if `work`
   * rejects.
   */
  transaction<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>;
  /** Undefined if it cannot subscribe now. */
  subscribe(channel: string, subscriber: Subscriber): Promise<Subscription | undefined>;
}

/** A client of the package pg: it prepares a statement by its name, once per connection. */
interface PreparingClient {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): PromiseLike<unknown>;
}

const canPrepare = (client: object): client is PreparingClient =>
  hasMethods(client, 'escapeIdentifier');

const ignore = (): void => undefined;

/** A client of pg, or one with the same methods. */
const connectionOfClient = (
  client: Pick<PostgresClient, 'query'>,
  release: (destroy: boolean) => unknown = ignore,
): PostgresConnection => {
  let hasSent = false;
  return {
    get hasSent() {
      return hasSent;
    },
    async query({ name, text, values }) {
      hasSent = true;
      const sent = values?.map((value) =>
        typeof value === 'function' ? (value() ?? TOO_LATE) : value,
      );
      const isNamed = name !== undefined && sent !== undefined && canPrepare(client);
      const result = await (isNamed
        ? client.query({ name, text, values: sent })
        : client.query(text, sent));
      return rowsIn(isFields(result) && result['rows']);
    },
    release: (destroy) => void release(destroy),
  };
};

const guarded = new WeakSet<PostgresClient | PostgresPool>();

/**
 * Listens for errors, because an `error` event without a listener ends the process. The query
 * rejects with the error too.
 */
const guard = (client: PostgresClient): void => {
  if (!guarded.has(client)) client.on?.('error', ignore);
  guarded.add(client);
};

const transactionOn = async <T>(
  connection: PostgresConnection,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> => {
  let isDone = false;
  try {
    await connection.query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED' });
    const result = await work(connection);
    await connection.query({ text: 'COMMIT' });
    isDone = true;
    return result;
  } finally {
    // After an error, a closed connection undoes a transaction that is still open.
    connection.release(!isDone);
  }
};

/** A pool of pg, or one with the same methods. */
export const clientsOfPool = (pool: PostgresPool): Clients => {
  // Guards a connection from its start, because it may fail before `connect` has returned it.
  if (!guarded.has(pool)) pool.on?.('connect', guard);
  guarded.add(pool);
  const borrow = async (): Promise<PostgresClient> => {
    const client = await pool.connect();
    guard(client);
    return client;
  };
  const connect = async (): Promise<PostgresConnection> => {
    const client = await borrow();
    return connectionOfClient(client, (destroy) => client.release(destroy));
  };
  let canSubscribe = true;
  return {
    get isClosed() {
      return pool.ending === true || pool.ended === true;
    },
    get canSubscribe() {
      return canSubscribe;
    },
    connect,
    transaction: async (work) => transactionOn(await connect(), work),
    async subscribe(channel, subscriber) {
      const found = await subscribeWith(borrow, channel, subscriber);
      if (found === 'unable') canSubscribe = false;
      return found === 'unable' ? undefined : found;
    },
  };
};

/** What a connection of postgres.js tells to the others. */
interface SqlState {
  isEnded: boolean;
  /** Whether the server does not know its prepared statements any more. */
  isGivenUp: boolean;
}

/**
 * The rows in an answer of postgres.js; undefined if it is not the complete answer to a statement.
 * The array has holes if its connection had been lost in the middle of an earlier answer.
 */
const rowsOfSql = (result: unknown): readonly Fields[] | undefined => {
  if (!Array.isArray(result) || typeof Reflect.get(result, 'command') !== 'string')
    return undefined;
  const rows: readonly unknown[] = result;
  return rowsIn(rows.flatMap((row) => [row]));
};

/** A value that is computed when it is sent: postgres.js makes texts of its values only then. */
const whenSent = (value: () => string | undefined, isSent: () => void) => ({
  [Symbol.toPrimitive]: () => {
    const sent = value();
    if (sent !== undefined) isSent();
    return sent ?? TOO_LATE;
  },
});

const isRetried = (query: unknown): boolean => isFields(query) && query['retried'] !== undefined;

const isEnd = (cause: unknown): boolean => isFields(cause) && cause['code'] === 'CONNECTION_ENDED';

/**
 * A `sql` of postgres.js. A pool chooses a connection for each statement, and sends the statement
 * even if its call has given up.
 */
const connectionOfSql = (
  sql: PostgresSqlConnection,
  state: SqlState = { isEnded: false, isGivenUp: false },
  released: () => void = ignore,
): PostgresConnection => {
  let hasSent = false;
  let settled: Promise<unknown> = Promise.resolve();
  const isSent = () => {
    hasSent = true;
  };
  const run = async ({ name, text, values = [] }: SentStatement) => {
    const sent = values.map((value) =>
      typeof value === 'function' ? whenSent(value, isSent) : value,
    );
    const prepare = name !== undefined && !state.isGivenUp;
    const query = sql.unsafe(text, sent, { prepare });
    try {
      return rowsOfSql(await query);
    } catch (cause) {
      if (isEnd(cause)) state.isEnded = true;
      throw cause;
    } finally {
      if (isRetried(query)) state.isGivenUp = true;
    }
  };
  return {
    get hasSent() {
      return hasSent;
    },
    query(statement) {
      const rows = run(statement);
      settled = rows.catch(ignore);
      return rows;
    },
    release: () => void settled.then(released),
  };
};

const makeClients = (sql: PostgresSql): Clients => {
  const state: SqlState = { isEnded: false, isGivenUp: false };
  // With more statements than connections, postgres.js would send one behind another that waits.
  const places = new Places(sql.options.max);
  return {
    get isClosed() {
      return state.isEnded;
    },
    canSubscribe: true,
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

/**
 * A single connection of a host, which the store never releases: a client of pg or PGlite, or the
 * `sql` of a transaction or of `sql.reserve`.
 */
export const connectionOf = (client: HostConnection): PostgresConnection =>
  'unsafe' in client ? connectionOfSql(client) : connectionOfClient(client);
