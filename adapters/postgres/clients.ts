import { type Fields, hasMethods, isFields } from '../../src/session/fields.js';
import { rowsIn } from '../sql/query.js';
import { type Subscriber, type Subscription, subscribeWith } from './pool-subscription.js';
import type { PostgresClient, PostgresPool } from './postgres-session-store-options.js';

/**
 * A function is called when the statement is sent. If it returns undefined, it is too late for the
 * statement, and the server must refuse it.
 */
export type SentValue = string | number | boolean | null | (() => string | undefined);

/** Not a number, so the server refuses the statement. */
export const TOO_LATE = 'too late';

export interface SentStatement {
  readonly text: string;
  readonly values?: readonly SentValue[] | undefined;
  /** A client that can prepare statements prepares it once per connection. */
  readonly name?: string | undefined;
}

export interface PostgresConnection {
  /** Undefined if the answer is not rows. Rejects with the error of the client. */
  query(statement: SentStatement): Promise<readonly Fields[] | undefined>;
  /** `destroy`: close the connection if the client can. */
  release(destroy: boolean): void;
}

export interface Clients {
  /** Whether the host has ended the pool; false for a pool that does not report it. */
  readonly isClosed: boolean;
  /** Borrows a connection, which the caller must release. Rejects if there is none. */
  connect(): Promise<PostgresConnection>;
  /**
   * Runs statements in one transaction with the isolation READ COMMITTED, which is undone if `work`
   * rejects.
   */
  transaction<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>;
  /** Undefined if it cannot subscribe now, `unable` if it never can. */
  subscribe(channel: string, subscriber: Subscriber): Promise<Subscription | 'unable' | undefined>;
}

interface PreparingClient {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): PromiseLike<unknown>;
}

const canPrepare = (client: object): client is PreparingClient =>
  hasMethods(client, 'escapeIdentifier');

export const ignore = (): void => undefined;

/** A client of pg, or one with the same methods. */
export const connectionOfClient = (
  client: Pick<PostgresClient, 'query'>,
  release: (destroy: boolean) => unknown = ignore,
): PostgresConnection => ({
  async query({ name, text, values }) {
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
});

const guarded = new WeakSet<PostgresClient | PostgresPool>();

/** An `error` event without a listener ends the process. The query rejects with the error too. */
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
  return {
    get isClosed() {
      return pool.ending === true || pool.ended === true;
    },
    connect,
    transaction: async (work) => transactionOn(await connect(), work),
    subscribe: (channel, subscriber) => subscribeWith(borrow, channel, subscriber),
  };
};
