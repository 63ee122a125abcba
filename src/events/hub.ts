import { ok, type Result } from 'neverthrow';
import type { StoreError, StoreUnavailable } from '../errors.js';
import type { SessionRecord } from '../session/record.js';
import type { EventLog, SessionKey, SessionStore } from '../store.js';
import { Feed } from './feed.js';
import type { Inbox } from './inbox.js';

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
  readonly #running = new Map<string, Promise<Found>>();
  readonly #next = new Map<string, Promise<Found>>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** All events behind the position reach the inbox, until the end. */
  async subscribe(inbox: Inbox): Promise<Result<{ readonly position: string; end(): void }, StoreUnavailable>> {
    const stream = this.#log.streamOf(inbox.tenant);
    const feed = this.#feeds.get(stream) ?? this.#open(stream);
    this.#feeds.set(stream, feed);
    return (await feed).map((found) => {
      found.add(inbox);
      return {
        position: found.position,
        end: () => {
          found.remove(inbox);
          // By now another feed may have taken its place.
          if (found.isIdle && this.#feeds.get(stream) === feed) this.#feeds.delete(stream);
        },
      };
    });
  }

  /**
   * A session for its watchers. Who asks while it is being read shares the next reading with all others who do. So nobody
   * gets what was read before it asked, and a crowd costs two reads.
   */
  find(store: SessionStore, key: SessionKey): Promise<Found> {
    const name = JSON.stringify([key.tenant, key.id]);
    const next = this.#next.get(name) ?? this.#findAfter(this.#running.get(name), name, store, key);
    this.#next.set(name, next);
    return next;
  }

  async #findAfter(
    running: Promise<Found> | undefined,
    name: string,
    store: SessionStore,
    key: SessionKey,
  ): Promise<Found> {
    // How it ends is for those to know who wait for it.
    await running?.catch(() => undefined);
    this.#next.delete(name);
    const began = (async () => (await store.find(key)).map(shared))();
    this.#running.set(name, began);
    try {
      return await began;
    } finally {
      if (this.#running.get(name) === began) this.#running.delete(name);
    }
  }

  async #open(stream: string): Promise<Result<Feed, StoreUnavailable>> {
    const latest = await this.#log.latest(stream);
    if (latest.isErr()) this.#feeds.delete(stream);
    return latest.andThen((position) => ok(new Feed(this.#log, stream, position)));
  }
}
