import { err, type Result } from 'neverthrow';
import { type StoreError, storeUnavailable } from '../errors.js';
import type { SessionRecord, StateRecord } from '../session/session-record.js';
import type { EventLog, ReadSize, SessionKey, SessionStore } from '../store/session-store.js';
import { Feed } from './feed.js';
import type { Inbox } from './inbox.js';
import { SharedReads } from './shared-reads.js';

/** Freezes the history and the options of a record, because several watchers share it. */
const shared = (record: SessionRecord | undefined): SessionRecord | undefined => {
  if (record === undefined || !Array.isArray(record.history) || Object.isFrozen(record.history)) return record;
  for (const entry of record.history) Object.freeze(entry);
  Object.freeze(record.history);
  Object.freeze(record.head.options);
  return record;
};

/** The connection between an inbox and the feed that fills it. */
export interface Subscription {
  readonly place: string;
  end(): void;
}

/** The feeds of one store, one per watched stream, and the reads that its watchers share. */
export class EventHub {
  readonly #log: EventLog;
  readonly #feeds = new Map<string, Promise<Result<Feed, StoreError>>>();
  readonly #records = new SharedReads<Result<SessionRecord | undefined, StoreError>>();
  readonly #states = new SharedReads<Result<StateRecord | undefined, StoreError>>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Delivers to the inbox all events that are logged after this call, until `end` is called. */
  async subscribe(inbox: Inbox): Promise<Result<Subscription, StoreError>> {
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
          // Another feed may have replaced this one.
          if (feed.isIdle && this.#feeds.get(stream) === opening) this.#feeds.delete(stream);
        },
      };
    });
  }

  /**
   * Called after this process has changed a session: feeds read at once, without waiting for the next poll. Without a
   * tenant, all feeds do.
   */
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
      // The store breaks its contract; polling still finds the events.
    }
  }

  /** Reads a session. Concurrent watchers share the read. */
  find(store: SessionStore, key: SessionKey, size: ReadSize): Promise<Result<SessionRecord | undefined, StoreError>> {
    const name = JSON.stringify([key.tenant, key.id, size.historyLimit]);
    return this.#records.read(name, async () => (await store.find(key, size)).map(shared));
  }

  /** Reads the state of a session. Concurrent watchers share the read. */
  findState(store: SessionStore, key: SessionKey): Promise<Result<StateRecord | undefined, StoreError>> {
    return this.#states.read(JSON.stringify([key.tenant, key.id]), async () => store.findState(key));
  }

  async #open(stream: string): Promise<Result<Feed, StoreError>> {
    const latest = await this.#latest(stream);
    if (latest.isErr()) this.#feeds.delete(stream);
    return latest.map((place) => new Feed(this.#log, stream, place));
  }

  async #latest(stream: string): Promise<Result<string, StoreError>> {
    try {
      return await this.#log.latest(stream);
    } catch (cause) {
      return err(storeUnavailable('the store threw an exception', 'not_applied', cause));
    }
  }
}
