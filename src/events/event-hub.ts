import { callHost } from '../session/call-host.js';
import type { Timer } from '../session/clock.js';
import type { EventLog } from '../store/session-store.js';
import { EventReader } from './event-reader.js';
import { Feed } from './feed.js';
import type { HubSource } from './hub-source.js';
import type { LogReads } from './log-cursor.js';
import { SessionReader } from './session-reader.js';
import { SharedReads } from './shared-reads.js';
import { InterruptibleWait, Ticker } from './timers.js';

/** The feeds of one store, one per watched stream, and what its watches share. */
export class EventHub {
  readonly #log: EventLog;
  readonly #after: Timer;
  readonly #feeds = new Map<string, Feed>();
  readonly sessions: SessionReader;
  readonly events: EventReader;
  readonly ticker: Ticker;
  readonly logReads: LogReads = new SharedReads();

  constructor(log: EventLog, source: HubSource) {
    this.#log = log;
    this.#after = source.after;
    this.sessions = new SessionReader(source);
    this.events = new EventReader(source);
    this.ticker = new Ticker(source.after, source.now);
  }

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
