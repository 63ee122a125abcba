import { err, ok, type Result } from 'neverthrow';
import type { TenantWatchSettings } from '../input/watch-options.js';
import type { StoreError } from '../session/errors.js';
import { incarnationOf, positionOf, timeAt } from '../session/event-position.js';
import { deepFreeze } from '../session/json.js';
import type { PositionedEntry } from '../session/session.js';
import { summaryAt } from '../session/session-at.js';
import type {
  EventsLost,
  SessionEvent,
  SessionSummary,
  TenantChange,
} from '../session/session-event.js';
import { findSession } from '../store/find-session.js';
import type { HubSource } from './hub-source.js';
import { safely } from './safely.js';
import { SharedReads } from './shared-reads.js';

/** Maximum size of the entries of one event. */
const PART = { limit: 1000, maxBytes: 1_000_000 };

type Appended = Extract<SessionEvent, { readonly type: 'session.appended' }>;

interface Entries {
  readonly entries?: readonly PositionedEntry[];
  readonly hasMore?: true;
}

type Read<T> = Promise<Result<T, StoreError>>;

/** Another session may have got the id since the event. */
const isOf = (version: string, { id }: SessionEvent): boolean =>
  version.startsWith(`${incarnationOf(id)}.`);

/** Only an outage ends by itself, so a damaged session counts as absent. */
const orUnreadable = <T>(read: Result<T, StoreError>): Result<T | undefined, StoreError> =>
  read.orElse((error) => {
    if (error.type === 'store_unavailable') return err(error);
    return ok(undefined);
  });

/**
 * Adds to events of the log what watches of a tenant ask for. Watches at the same event share the
 * reads.
 */
export class EventReader {
  readonly #source: HubSource;
  readonly #shared = new SharedReads<Result<TenantChange, StoreError>>();

  constructor(source: HubSource) {
    this.#source = source;
  }

  async read(
    event: SessionEvent | EventsLost,
    { sessions, entries }: TenantWatchSettings,
  ): Read<TenantChange> {
    if (event.type === 'events_lost') return ok(event);
    const { position, ...told } = event;
    const change = { ...told, cursor: positionOf(timeAt(position), event) };
    const hasEntries = entries && event.type === 'session.appended';
    if (!sessions && !hasEntries) return ok(change);
    return this.#shared.read(JSON.stringify([event.id, position, sessions, entries]), async () => {
      const session = sessions ? await this.#session(event) : ok({});
      if (session.isErr()) return err(session.error);
      const added = hasEntries ? await this.#entries(event) : ok({});
      return added.map((found) => deepFreeze({ ...change, ...session.value, ...found }));
    });
  }

  async #session(event: SessionEvent): Read<{ readonly session?: SessionSummary }> {
    const { tenant, sessionId: id } = event;
    const read = await safely(() =>
      findSession(this.#source.store, { tenant, id }, { historyLimit: 0 }),
    );
    const time = this.#source.now();
    return orUnreadable(read).map((record) => {
      if (record === undefined || time.isErr() || !isOf(record.historyVersion, event)) return {};
      return { session: summaryAt(record, time.value) };
    });
  }

  async #entries(event: Appended): Read<Entries> {
    const { tenant, sessionId: id, start, historyPosition: end } = event;
    const read = await safely(() =>
      this.#source.store.entries({ tenant, id }, { after: start, ...PART }),
    );
    return orUnreadable(read).map((part) => {
      if (part?.outcome !== 'found' || !isOf(part.version, event)) return {};
      const entries = part.entries.filter(({ position }) => position <= end);
      const hasMore = part.hasMore && part.position < end;
      return { entries, ...(hasMore && { hasMore }) };
    });
  }
}
