import type { Result } from 'neverthrow';
import { callHost } from '../session/call-host.js';
import type { Timer } from '../session/clock.js';
import type { Misconfigured } from '../session/errors.js';
import type { EventLog, SessionStore } from '../store/session-store.js';
import { EventReader } from './event-reader.js';
import { Feed } from './feed.js';
import type { LogReads } from './log-cursor.js';
import { SessionReader } from './session-reader.js';
import { SharedReads } from './shared-reads.js';
import { InterruptibleWait, Ticker } from './timers.js';

/** The part of a service that its watches share. */
export interface HubSource {
  readonly store: SessionStore;
  /** The time of the service, in milliseconds since the epoch. */
  readonly now: () => Result<number, Misconfigured>;
  /** The timer of the service, for the waits of watches. */
  readonly after: Timer;
}

/** The feeds of one store, one per watched stream, and what its watches share. */
export class EventHub {
  readonly #log: EventLog;
  readonly #after: Timer;
  readonly #feeds = new Map<string, Feed>();
  readonly sessions: SessionReader;
  readonly events: EventReader;
  readonly ticker: Ticker;
  /** The reads of the log by watches of tenants. */
  readonly logReads: LogReads = new SharedReads();

  constructor(log: EventLog, { store, after, now }: HubSource) {
    this.#log = log;
    this.#after = after;
    this.sessions = new SessionReader(store, now);
    this.events = new EventReader(store, now);
    this.ticker = new Ticker(after, now);
  }

  /** The feed of a tenant's stream. It is removed once its last consumer has left. */
  feedOf(tenant: string): Feed {
    return this.#feedOf(this.#log.streamOf(tenant));
  }

  /** The feeds of all streams; none if the log cannot name them. */
  allFeeds(): readonly Feed[] {
    return (this.#log.streams?.() ?? []).map((stream) => this.#feedOf(stream));
  }

  #feedOf(stream: string): Feed {
    const known = this.#feeds.get(stream);
    if (known !== undefined) return known;
    const pause = new InterruptibleWait(this.#after);
    const feed = new Feed(this.#log, stream, pause, () => this.#feeds.delete(stream));
    this.#feeds.set(stream, feed);
    return feed;
  }

  /**
   * Called after this process has changed a session: feeds read immediately, without waiting for
   * the next poll. Without a tenant, all feeds do.
   */
  wake(tenant?: string): void {
    if (tenant === undefined) {
      for (const feed of this.#feeds.values()) feed.wake();
    } else if (this.#feeds.size > 0) {
      // If the store breaks its contract, the next poll still finds the events.
      const stream = callHost(() => this.#log.streamOf(tenant));
      this.#feeds.get(stream ?? '')?.wake();
    }
  }
}
