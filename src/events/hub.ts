import { ok, type Result } from 'neverthrow';
import type { StoreUnavailable } from '../errors.js';
import type { EventLog } from '../store.js';
import { Feed, type Subscriber } from './feed.js';

/** What a subscriber is told. */
export interface Subscription {
  /** All events behind this position reach the subscriber. */
  readonly position: string;
  end(): void;
}

/** Milliseconds between two looks at a stream whose store does not say when there is something new. */
const POLL_MS = 100;

/** The feeds of one store, one for each stream that somebody listens to. */
export class EventHub {
  readonly #log: EventLog;
  readonly #feeds = new Map<string, Promise<Result<Feed, StoreUnavailable>>>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  async subscribe(subscriber: Subscriber): Promise<Result<Subscription, StoreUnavailable>> {
    const stream = this.#log.streamOf(subscriber.tenant);
    const feed = this.#feedOf(stream);
    return (await feed).map((found) => {
      found.add(subscriber);
      return {
        position: found.position,
        end: () => {
          found.remove(subscriber);
          // By now another feed may have taken its place.
          if (found.isIdle && this.#feeds.get(stream) === feed) this.#feeds.delete(stream);
        },
      };
    });
  }

  #feedOf(stream: string): Promise<Result<Feed, StoreUnavailable>> {
    const known = this.#feeds.get(stream);
    if (known !== undefined) return known;
    const opened = this.#open(stream);
    this.#feeds.set(stream, opened);
    return opened;
  }

  async #open(stream: string): Promise<Result<Feed, StoreUnavailable>> {
    const latest = await this.#log.latest(stream);
    if (latest.isErr()) this.#feeds.delete(stream);
    return latest.andThen((position) => ok(new Feed(this.#log, stream, position, POLL_MS)));
  }
}
