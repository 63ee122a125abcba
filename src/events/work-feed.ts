import { callHost } from '../session/call-host.js';
import type { SessionEvent } from '../session/session-event.js';
import type { EventHub } from './event-hub.js';
import type { Feed, FeedConsumer } from './feed.js';
import { openLog, safely } from './safely.js';
import type { WatchSource } from './watch-source.js';

/**
 * Listens to the events of one tenant, or of all, so that a worker need not wait for its next poll.
 */
export class WorkFeed {
  readonly #source: WatchSource;
  readonly #tenant: string | undefined;
  readonly #onEvents: (events: readonly SessionEvent[] | undefined) => void;
  readonly #open = new Map<Feed, FeedConsumer>();
  #isOpening = false;
  #isOver = false;

  /**
   * `onEvents` receives the events of `tenant`, or of all tenants, since the last call; undefined
   * if some may be missing.
   */
  constructor(
    source: WatchSource,
    tenant: string | undefined,
    onEvents: (events: readonly SessionEvent[] | undefined) => void,
  ) {
    this.#source = source;
    this.#tenant = tenant;
    this.#onEvents = onEvents;
  }

  /**
   * Opens the feed unless it is open. Without events in the store, or in an outage, it does
   * nothing.
   */
  async open(): Promise<void> {
    const { store, hub } = this.#source;
    const log = store.events;
    if (log === undefined || hub === undefined) return;
    if (this.#isOpening || this.#open.size > 0) return;
    this.#isOpening = true;
    const opened = await openLog(log);
    if (opened.isOk()) for (const feed of this.#feeds(hub)) await this.#join(feed);
    this.#isOpening = false;
  }

  close(): void {
    this.#isOver = true;
    for (const [feed, consumer] of this.#open) feed.remove(consumer);
    this.#open.clear();
  }

  #feeds(hub: EventHub): readonly Feed[] {
    const tenant = this.#tenant;
    if (tenant === undefined) return callHost(() => hub.allFeeds()) ?? [];
    // If the store breaks its contract, the worker polls.
    return callHost(() => [hub.feedOf(tenant)]) ?? [];
  }

  async #join(feed: Feed): Promise<void> {
    const tenant = this.#tenant;
    const consumer: FeedConsumer = {
      scope: tenant === undefined ? undefined : { tenant, sessionId: undefined },
      wake: (events) =>
        this.#onEvents(events?.filter((event) => tenant === undefined || event.tenant === tenant)),
      fail: () => {
        feed.remove(consumer);
        this.#open.delete(feed);
      },
    };
    if (this.#isOver) return;
    this.#open.set(feed, consumer);
    const added = await safely(() => feed.add(consumer));
    if (added.isOk() && !this.#isOver) return;
    feed.remove(consumer);
    this.#open.delete(feed);
  }
}
