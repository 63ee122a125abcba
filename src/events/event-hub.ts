import type { Timer } from '../session/clock.js';
import type { EventLog } from '../store/session-store.js';
import { Feed } from './feed.js';
import { InterruptibleWait } from './interruptible-wait.js';
import type { LogReads } from './log-cursor.js';
import { SessionReads } from './session-reader.js';
import { SharedReads } from './shared-reads.js';

/** The feeds of one store, one per watched stream, and the reads that its watchers share. */
export class EventHub {
  readonly #log: EventLog;
  readonly #after: Timer;
  readonly #feeds = new Map<string, Feed>();
  /** The reads of sessions. */
  readonly reads = new SessionReads();
  /** The reads of the log by watches of tenants. */
  readonly logReads: LogReads = new SharedReads();

  /** `after` is the timer of the polls of a store. */
  constructor(log: EventLog, after: Timer) {
    this.#log = log;
    this.#after = after;
  }

  /** The feed of a tenant's stream. It is removed once its last consumer has left. */
  feedOf(tenant: string): Feed {
    const stream = this.#log.streamOf(tenant);
    const makeFeed = () =>
      new Feed(this.#log, stream, new InterruptibleWait(this.#after), () => this.#feeds.delete(stream));
    const feed = this.#feeds.get(stream) ?? makeFeed();
    this.#feeds.set(stream, feed);
    return feed;
  }

  /**
   * Called after this process has changed a session: feeds read at once, without waiting for the next poll. Without a
   * tenant, all feeds do.
   */
  wake(tenant?: string): void {
    if (this.#feeds.size === 0) return;
    try {
      const streams = tenant === undefined ? this.#feeds.keys() : [this.#log.streamOf(tenant)];
      for (const stream of streams) this.#feeds.get(stream)?.wake();
    } catch {
      // The store breaks its contract. The next poll still finds the events.
    }
  }
}
