import type { Connection } from './connection.js';
import type { PostgresClient } from './postgres-session-store-options.js';

/** Milliseconds between two polls while no notifications arrive. */
const POLL_MS = 250;

/** Milliseconds between two checks that notifications arrive. */
const CHECK_MS = 5000;

/**
 * Wakes listeners at notifications of a channel (https://www.postgresql.org/docs/current/sql-listen.html), which one
 * connection of the pool receives. It notifies itself now and then: while no notification arrives, such as behind a pooler
 * in transaction mode, or while there is no connection, it wakes the listeners every 250 ms instead.
 */
export class NotificationListener {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #client: PostgresClient | undefined;
  #isConnecting = false;
  #canListen = true;
  /** When the last notification arrived and when the last check was sent, by the monotonic clock. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, channel: string) {
    this.#connection = connection;
    this.#channel = channel;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#tick(), POLL_MS);
    this.#tick();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#disconnect(this.#client);
  }

  #tick(): void {
    const now = performance.now();
    if (this.#connection.isClosed) {
      // The pool's end waits for this connection.
      this.#disconnect(this.#client);
      this.#wake();
      return;
    }
    if (this.#client === undefined) void this.#connect();
    else if (now - this.#checkedAt > CHECK_MS) this.#check(now);
    if (this.#heardAt < this.#checkedAt || this.#client === undefined) this.#wake();
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || !this.#canListen) return;
    this.#isConnecting = true;
    const connected = await this.#connection.connect();
    this.#isConnecting = false;
    if (connected.isErr()) return;
    const client = connected.value;
    const canListen = typeof client.on === 'function';
    if (!canListen || this.#listeners.size === 0 || this.#connection.isClosed) {
      client.release(false);
      this.#canListen = canListen;
      return;
    }
    this.#client = client;
    client.on?.('notification', () => {
      if (this.#client !== client) return;
      this.#heardAt = performance.now();
      this.#wake();
    });
    for (const end of ['error', 'end']) client.on?.(end, () => this.#disconnect(client));
    this.#send(client, `LISTEN "${this.#channel}"`);
    this.#check(performance.now());
  }

  #check(now: number): void {
    this.#checkedAt = now;
    if (this.#client !== undefined) this.#send(this.#client, `NOTIFY "${this.#channel}"`);
  }

  #send(client: PostgresClient, sql: string): void {
    Promise.resolve(client.query(sql)).catch(() => this.#disconnect(client));
  }

  /** The connection is closed, since it listens. */
  #disconnect(client: PostgresClient | undefined): void {
    if (client === undefined || this.#client !== client) return;
    this.#client = undefined;
    client.release(true);
  }
}
