import { ok, type Result } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../errors.js';
import type { SessionRecord } from '../session/record.js';
import type { EventLog, SessionKey, SessionStore } from '../store.js';
import { Feed, type Subscriber } from './feed.js';
import { SharedReads } from './shared-reads.js';

/** What a subscriber is told. */
export interface Subscription {
  /** All events behind this position reach the subscriber. */
  readonly position: string;
  end(): void;
}

/** Milliseconds between two looks at a stream whose store does not say when there is something new. */
const POLL_MS = 100;

type Found = Result<SessionRecord | undefined, StoreError>;

/** The record, which nobody can change who shares it. */
const shared = (record: SessionRecord | undefined): SessionRecord | undefined => {
  if (record === undefined || !Array.isArray(record.history) || Object.isFrozen(record.history)) return record;
  for (const entry of record.history) Object.freeze(entry);
  Object.freeze(record.history);
  Object.freeze(record.head.options);
  return record;
};

/** The feeds of one store, one for each stream that somebody listens to, and what watchers read at the same time. */
export class EventHub {
  readonly #log: EventLog;
  readonly #feeds = new Map<string, Promise<Result<Feed, StoreUnavailable>>>();
  readonly #reads = new SharedReads<Found>();

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

  /** A session for its watchers, read once for all who ask at the same time. */
  find(store: SessionStore, key: SessionKey): Promise<Found> {
    return this.#reads.read(JSON.stringify([key.tenant, key.id]), async () => (await store.find(key)).map(shared));
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
