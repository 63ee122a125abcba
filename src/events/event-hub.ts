import { err, type Result } from 'neverthrow';
import { type StoreError, type StoreUnavailable, storeUnavailable } from '../errors.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import type { EventLog, ReadSize, SessionKey, SessionStore } from '../store/session-store.js';
import { Feed } from './feed.js';
import type { Inbox } from './inbox.js';
import { SharedReads } from './shared-reads.js';

/** The record, made so that nobody who shares it can change it. */
const shared = (record: SessionRecord | undefined): SessionRecord | undefined => {
  if (record === undefined || !Array.isArray(record.history) || Object.isFrozen(record.history)) return record;
  for (const entry of record.history) Object.freeze(entry);
  Object.freeze(record.history);
  Object.freeze(record.head.options);
  return record;
};

/** Where the feed is that an inbox is filled by. */
export interface Subscription {
  readonly place: string;
  end(): void;
}

/** The feeds of one store, one for each stream that is watched, and the reads that watchers share. */
export class EventHub {
  readonly #log: EventLog;
  readonly #feeds = new Map<string, Promise<Result<Feed, StoreUnavailable>>>();
  readonly #records = new SharedReads<Result<SessionRecord | undefined, StoreError>>();
  readonly #states = new SharedReads<Result<StateRecord | undefined, StoreError>>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** All events that come after it reach the inbox, until the end. */
  async subscribe(inbox: Inbox): Promise<Result<Subscription, StoreUnavailable>> {
    const stream = this.#log.streamOf(inbox.tenant);
    const opening = this.#feeds.get(stream) ?? this.#open(stream);
    this.#feeds.set(stream, opening);
    return (await opening).map((feed) => {
      feed.add(inbox);
      return {
        get place() {
          return feed.place;
        },
        end: () => {
          feed.remove(inbox);
          // By now another feed may have taken its place.
          if (feed.isIdle && this.#feeds.get(stream) === opening) this.#feeds.delete(stream);
        },
      };
    });
  }

  /** This process has changed something, of one tenant or of any: those who watch it need not wait for the next poll. */
  wake(tenant?: string): void {
    if (this.#feeds.size === 0) return;
    try {
      const streams = tenant === undefined ? this.#feeds.keys() : [this.#log.streamOf(tenant)];
      for (const stream of streams) {
        void this.#feeds.get(stream)?.then((opened) => {
          if (opened.isOk()) opened.value.wake();
        });
      }
    } catch {
      // A store that breaks its contract is polled.
    }
  }

  /** A session for its watchers, who share reads. */
  find(store: SessionStore, key: SessionKey, size: ReadSize): Promise<Result<SessionRecord | undefined, StoreError>> {
    const name = JSON.stringify([key.tenant, key.id, size.historyLimit]);
    return this.#records.read(name, async () => (await store.find(key, size)).map(shared));
  }

  /** The state of a session for its watchers, who share reads. */
  findState(store: SessionStore, key: SessionKey): Promise<Result<StateRecord | undefined, StoreError>> {
    return this.#states.read(JSON.stringify([key.tenant, key.id]), async () => store.findState(key));
  }

  async #open(stream: string): Promise<Result<Feed, StoreUnavailable>> {
    const latest = await this.#latest(stream);
    if (latest.isErr()) this.#feeds.delete(stream);
    return latest.map((place) => new Feed(this.#log, stream, place));
  }

  async #latest(stream: string): Promise<Result<string, StoreUnavailable>> {
    try {
      return await this.#log.latest(stream);
    } catch (cause) {
      return err(storeUnavailable('the store failed in a way that it should not', 'not_applied', cause));
    }
  }
}
