import { err, ok, type Result } from 'neverthrow';
import type { TenantWatchSettings } from '../input/parse-watch.js';
import type { StoreError, WatchError } from '../session/errors.js';
import { type EventPosition, positionBefore, positionOf, timeAt } from '../session/event-position.js';
import type { SessionEvent, TenantChange } from '../session/session-event.js';
import { LastChanges } from './last-changes.js';
import { LogCursor, type LogPage, nowWithMargin } from './log-cursor.js';
import { positionNow } from './position-now.js';
import { openWakes } from './wakes.js';
import type { WatchSource } from './watch-source.js';

type Item = Result<TenantChange, WatchError>;

/** Milliseconds before a failed read is made again. */
const RETRY_MS = 100;

/** How much of the time since the call is subtracted twice, because two clocks run at slightly different speeds. */
const DRIFT = 0.001;

/**
 * The position of the log to begin after: that of a cursor, or that at the time of the call, by `performance.now()`, or
 * slightly before.
 */
const beginningOf = async (
  source: WatchSource,
  from: EventPosition | undefined,
  calledAt: number,
): Promise<Result<string, StoreError>> => {
  if (from !== undefined) return ok(positionBefore(from.ms));
  const now = await positionNow(source);
  const elapsed = (performance.now() - calledAt) * (1 + DRIFT);
  return now.map((ms) => positionBefore(Math.floor(Number(ms) - elapsed) - 1));
};

const isLease = ({ type }: SessionEvent): boolean => type === 'session.leased' || type === 'session.released';

/** What a watch of a tenant makes of the pages of the log. */
class TenantChanges {
  readonly #last = new LastChanges();
  readonly #options: TenantWatchSettings;
  readonly #tenant: string;
  /** The id of the event to start after, until it is found. */
  #known: string | undefined;
  /** Whether events are missing before the next one. */
  #isLost = false;

  constructor(tenant: string, options: TenantWatchSettings) {
    this.#tenant = tenant;
    this.#options = options;
    const { incarnation, sequence } = options.from ?? {};
    this.#known = incarnation === undefined ? undefined : `${incarnation}.${sequence}`;
  }

  *in({ events, hasMoved, isTrimmed }: LogPage): Generator<TenantChange, void> {
    const own = events.filter(({ tenant }) => tenant === this.#tenant);
    if (this.#known === undefined) this.#isLost ||= isTrimmed;
    const fresh = this.#afterKnown(own);
    const [next] = fresh;
    if (this.#isLost && (next !== undefined || !hasMoved)) yield this.#lost(next);
    for (const event of fresh) yield* this.#told(event);
  }

  *#told(event: SessionEvent): Generator<TenantChange, void> {
    const order = this.#last.add(event);
    if (order === 'seen') return;
    const ms = timeAt(event.position);
    if (order === 'gap') yield { type: 'events_lost', cursor: String(ms) };
    if (isLease(event) && !this.#options.leases) return;
    const { position, ...told } = event;
    yield { ...told, cursor: positionOf(ms, event) };
  }

  #lost(next: SessionEvent | undefined): TenantChange {
    this.#isLost = false;
    this.#last.passGap();
    return { type: 'events_lost', cursor: String(next === undefined ? nowWithMargin() : timeAt(next.position)) };
  }

  /** If the known event is still there, none after it can be missing. */
  #afterKnown(own: readonly SessionEvent[]): readonly SessionEvent[] {
    if (this.#known === undefined) return own;
    const at = own.findIndex(({ id }) => id === this.#known);
    this.#known = undefined;
    this.#isLost ||= at < 0;
    return own.slice(at + 1);
  }
}

/** Watches all sessions of a tenant, from the call or from a cursor, until the caller stops. Each reads the log itself. */
export async function* watchTenant(
  source: WatchSource,
  options: TenantWatchSettings,
  calledAt: number,
): AsyncGenerator<Item, void> {
  const scope = { tenant: source.tenant, sessionId: undefined };
  const opened = await openWakes(source, scope, options.signal);
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const wakes = opened.value;
  const changes = new TenantChanges(source.tenant, options);
  try {
    const beginning = await beginningOf(source, options.from, calledAt);
    if (beginning.isErr()) yield err(beginning.error);
    if (beginning.isErr() || wakes.isClosed) return;
    const cursor = new LogCursor(wakes.log, wakes.stream, beginning.value);
    options.onOpen();
    while (!wakes.isClosed) {
      const { error } = wakes;
      if (error !== undefined) {
        yield err(error);
        return;
      }
      wakes.take();
      const page = await cursor.read(scope);
      if (page.isErr()) {
        await wakes.pause(RETRY_MS);
        continue;
      }
      for (const change of changes.in(page.value)) {
        if (wakes.isClosed) return;
        yield ok(change);
      }
      if (!page.value.hasMoved) await wakes.wait(Number.POSITIVE_INFINITY);
    }
  } finally {
    wakes.end();
  }
}
