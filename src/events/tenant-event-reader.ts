import { err, ok, type Result } from 'neverthrow';
import type { TenantWatchSettings } from '../input/parse-watch.js';
import type { StoreError } from '../session/errors.js';
import { incarnationOf, positionOf, timeAt } from '../session/event-position.js';
import type { PositionedEntry } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { EventsLost, SessionEvent, SessionSummary, TenantChange } from '../session/session-event.js';
import { SessionReader, type SessionReads } from './session-reader.js';
import type { WatchSource } from './watch-source.js';

/** Maximum size of the entries of one event. */
const PART = { limit: 1000, maxBytes: 1_000_000 };

type Appended = Extract<SessionEvent, { readonly type: 'session.appended' }>;

interface Entries {
  readonly entries?: readonly PositionedEntry[];
  readonly hasMore?: true;
}

type Read<T> = Promise<Result<T, StoreError>>;

/** Another session may have got the id since the event. */
const isOf = (version: string, { id }: SessionEvent): boolean => version.startsWith(`${incarnationOf(id)}.`);

/** Only an outage ends by itself: a damaged session is one that cannot be read. */
const orUnreadable = <T>(read: Result<T, StoreError>): Result<T | undefined, StoreError> =>
  read.orElse((error) => (error.type === 'store_unavailable' ? err(error) : ok(undefined)));

/** Reads what a watch of a tenant delivers with an event of the log. */
export class TenantEventReader {
  readonly #source: WatchSource;
  readonly #options: TenantWatchSettings;
  readonly #reads: SessionReads;

  constructor(source: WatchSource, options: TenantWatchSettings, reads: SessionReads) {
    this.#source = source;
    this.#options = options;
    this.#reads = reads;
  }

  async read(event: SessionEvent | EventsLost): Read<TenantChange> {
    if (event.type === 'events_lost') return ok(event);
    const { position, ...told } = event;
    const cursor = positionOf(timeAt(position), event);
    const { tenant, sessionId: id } = event;
    const reader = new SessionReader(this.#source.store, { tenant, id }, this.#reads);
    const session = this.#options.sessions ? await this.#session(reader, event) : ok({});
    if (session.isErr()) return err(session.error);
    const isWithEntries = this.#options.entries && event.type === 'session.appended';
    const entries = isWithEntries ? await this.#entries(reader, event) : ok({});
    return entries.map((found) => ({ ...told, ...session.value, ...found, cursor }));
  }

  async #session(reader: SessionReader, event: SessionEvent): Read<{ readonly session?: SessionSummary }> {
    const read = orUnreadable(await reader.find({ historyLimit: 0 }));
    const time = this.#source.now();
    return read.map((record) => {
      if (record === undefined || time.isErr() || !isOf(record.historyVersion, event)) return {};
      const { history, ...session } = sessionAt(record, time.value);
      return { session };
    });
  }

  async #entries(reader: SessionReader, event: Appended): Read<Entries> {
    const read = orUnreadable(await reader.entries({ after: event.start, ...PART }));
    return read.map((part) => {
      if (part === undefined || !isOf(part.version, event)) return {};
      const entries = part.entries.filter(({ position }) => position <= event.historyPosition);
      const hasMore = part.hasMore && entries.length === part.entries.length && part.position < event.historyPosition;
      return { entries, ...(hasMore && { hasMore }) };
    });
  }
}
