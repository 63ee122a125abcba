import { Call } from './call.js';
import type { Connection } from './connection.js';
import type { Subscription } from './pool-subscription.js';

/** Milliseconds between two polls while no notifications arrive. */
const POLL_MS = 250;

/** Milliseconds between two checks that notifications arrive. */
const CHECK_MS = 5000;

/** Milliseconds before the next attempt to listen, if the pool had no connection to spare. */
const NO_ROOM_MS = 60_000;

/**
 * Wakes listeners at notifications of a channel
 * (https://www.postgresql.org/docs/current/sql-listen.html), which one connection of the pool
 * receives. It regularly sends itself a notification over another connection. While no notification
 * arrives, for example behind a pooler in transaction mode, it wakes the listeners every 250 ms.
 */
export class NotificationListener {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #subscription: Subscription | undefined;
  #isChecking = false;
  #isHeard = false;
  /** A time of the monotonic clock. */
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
    this.#unsubscribe();
  }

  #tick(): void {
    // Disconnects immediately, because the end of the pool waits for this connection.
    if (!this.#isNeeded) this.#unsubscribe();
    else if (!this.#isChecking && performance.now() >= this.#nextCheckAt) void this.#check();
    if (!this.#isHeard) this.#wake();
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Sends a notification over another connection. A notification over its own connection may arrive
   * even if the notifications of other processes do not.
   */
  async #check(): Promise<void> {
    this.#isChecking = true;
    this.#isHeard = false;
    this.#nextCheckAt = performance.now() + CHECK_MS;
    const subscription = this.#subscription ?? (await this.#subscribe());
    if (subscription !== undefined && !(await subscription.hasRoom())) {
      this.#unsubscribe();
      this.#nextCheckAt = performance.now() + NO_ROOM_MS;
    }
    const notify = { sql: `SELECT pg_notify(?, '')`, values: [this.#channel] };
    if (this.#subscription !== undefined) await new Call(this.#connection).write(notify);
    this.#isChecking = false;
  }

  async #subscribe(): Promise<Subscription | undefined> {
    const { clients } = this.#connection;
    let isOver = false;
    let subscription: Subscription | undefined;
    const subscriber = {
      notified: () => {
        if (isOver || !this.#isNeeded) return;
        this.#isHeard = true;
        this.#wake();
      },
      missed: () => {
        this.#isHeard = false;
        if (!isOver && this.#isNeeded) this.#wake();
      },
      lost: () => {
        isOver = true;
        if (this.#subscription === subscription) this.#unsubscribe();
      },
    };
    const found = await clients.subscribe(this.#channel, subscriber).catch(() => undefined);
    if (found === 'unable') this.#nextCheckAt = Number.POSITIVE_INFINITY;
    if (found === undefined || found === 'unable' || isOver) return undefined;
    subscription = found;
    if (!this.#isNeeded) {
      subscription.stop();
      return undefined;
    }
    this.#subscription = subscription;
    // A pooler may deliver notifications to the next user of the connection.
    this.#isHeard = false;
    return subscription;
  }

  #unsubscribe(): void {
    const subscription = this.#subscription;
    if (subscription === undefined) return;
    this.#subscription = undefined;
    this.#isHeard = false;
    this.#nextCheckAt = 0;
    subscription.stop();
  }
}
