import { setTimeout } from 'node:timers/promises';
import type { Connection } from './connection.js';
import type { PostgresClient } from './postgres-session-store-options.js';

/**
 * Milliseconds between two polls while no notifications arrive, and maximum wait for a free
 * connection.
 */
const POLL_MS = 250;

/** Milliseconds between two checks that notifications arrive. */
const CHECK_MS = 5000;

/** Milliseconds before the next attempt to listen, after the pool had no connection to spare. */
const NO_ROOM_MS = 60_000;

/**
 * Wakes listeners at notifications of a channel
 * (https://www.postgresql.org/docs/current/sql-listen.html), which one connection of the pool
 * receives. It regularly sends itself a notification over another connection. While none arrives,
 * such as behind a pooler in transaction mode, or while it has no connection, it wakes the
 * listeners every 250 ms instead.
 */
export class NotificationListener {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #client: PostgresClient | undefined;
  #isChecking = false;
  /** Whether a notification has arrived since the last check. */
  #isHeard = false;
  /** By the monotonic clock. */
  #nextCheckAt = 0;

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

  get #isNeeded(): boolean {
    return this.#listeners.size > 0 && !this.#connection.isClosed;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#disconnect(this.#client);
  }

  #tick(): void {
    // Disconnects at once, because the end of the pool waits for this connection.
    if (!this.#isNeeded) this.#disconnect(this.#client);
    else if (!this.#isChecking && performance.now() >= this.#nextCheckAt) void this.#check();
    if (!this.#isHeard) this.#wake();
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Sends a notification over another connection, because one over its own may arrive even if those
   * of other processes do not.
   */
  async #check(): Promise<void> {
    this.#isChecking = true;
    this.#isHeard = false;
    this.#nextCheckAt = performance.now() + CHECK_MS;
    const client = this.#client ?? (await this.#connect());
    if (client !== undefined && !(await this.#hasRoom())) {
      this.#disconnect(client);
      this.#nextCheckAt = performance.now() + NO_ROOM_MS;
    }
    const notify = { sql: `SELECT pg_notify(?, '')`, values: [this.#channel] };
    if (this.#client !== undefined) await this.#connection.begin().write(notify);
    this.#isChecking = false;
  }

  async #connect(): Promise<PostgresClient | undefined> {
    const client = await this.#borrow();
    if (client === undefined) return undefined;
    if (typeof client.on !== 'function' || !this.#isNeeded) {
      client.release(false);
      if (client.on === undefined) this.#nextCheckAt = Number.POSITIVE_INFINITY;
      return undefined;
    }
    this.#client = client;
    client.on('notification', () => {
      if (this.#client !== client) return;
      this.#isHeard = true;
      this.#wake();
    });
    for (const end of ['error', 'end']) client.on(end, () => this.#disconnect(client));
    try {
      await client.query(`LISTEN "${this.#channel}"`);
    } catch {
      this.#disconnect(client);
    }
    // A pooler may deliver the notification to the next user of the connection.
    this.#isHeard = false;
    return this.#client;
  }

  /** Whether the pool has a connection besides the listening one. */
  async #hasRoom(): Promise<boolean> {
    const client = await this.#borrow();
    client?.release(false);
    return client !== undefined;
  }

  /**
   * Borrows a connection if one becomes free in time. Returns it to the pool if it comes too late.
   */
  async #borrow(): Promise<PostgresClient | undefined> {
    const connecting = this.#connection.connect();
    const connected = await Promise.race([
      connecting,
      setTimeout(POLL_MS, undefined, { ref: false }),
    ]);
    if (connected !== undefined) return connected.unwrapOr(undefined);
    void connecting.then((late) => late.map((client) => client.release(false)));
    return undefined;
  }

  /** Closes the connection instead of returning it to the pool, because it still listens. */
  #disconnect(client: PostgresClient | undefined): void {
    if (client === undefined || this.#client !== client) return;
    this.#client = undefined;
    this.#isHeard = false;
    this.#nextCheckAt = 0;
    client.release(true);
  }
}
