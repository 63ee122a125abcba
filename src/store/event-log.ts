import { misconfigured, type StoreError } from '../session/errors.js';
import type { EventPage } from '../session/session-event.js';
import type { Answer } from '../session/session-key.js';

/** The events that a reader wants: those of one session, or all of a tenant. */
export interface EventScope {
  readonly tenant: string;
  /** Undefined for all sessions of the tenant. */
  readonly sessionId: string | undefined;
}

/**
 * The changes of a store's sessions, in streams that all processes of the store share and that keep
 * the latest events. The store writes an event in the same step as its change: neither exists
 * without the other. A repeated call that the store recognises writes no second event. The events
 * of a session are in the order of their sequence.
 *
 * A position in a stream is `<milliseconds>-<number>`: when the event was logged, on the clock of
 * the log, and a number below 2^64 that distinguishes events of the same millisecond. Positions
 * only increase. `0` is before all of them. Positions never leave the engine, because they would
 * reveal the activity of other tenants.
 */
export interface EventLog {
  /**
   * Called before a watch calls the other methods, so that the log can read its settings. An error
   * ends the watch.
   */
  open?(): Answer<void, StoreError>;

  /** The stream that contains a tenant's events. It may also contain events of other tenants. */
  streamOf(tenant: string): string;

  /**
   * All streams, for workers of all tenants, once the log is open. Without this method, or with no
   * streams, such workers only poll.
   */
  streams?(): readonly string[];

  /** The position after the latest event of a stream. */
  latest(stream: string): Answer<string, StoreError>;

  /**
   * The time on the clock of the log, in whole milliseconds since the epoch: no event that is
   * logged after this call has an earlier one in its position.
   */
  now(stream: string): Answer<number, StoreError>;

  /**
   * Reads the events after a position, oldest first, at most `limit`. The position need not belong
   * to an event: it may be `0`, or a time with the number 2^64 - 1. The log may leave out events
   * outside the scope `of`. For position `0`, `isTrimmed` is true if the stream has lost any event.
   * For another position before the oldest event, it may be true although no later event is lost.
   * It is also true if the store was restored from older data that does not contain the event of
   * the position; if there are no events after the position, the answer then has the position of
   * the latest event.
   */
  read(
    stream: string,
    position: string,
    limit: number,
    of?: EventScope,
  ): Answer<EventPage, StoreError>;

  /**
   * Calls the listener soon after a stream has new events, from any process, until the returned
   * function is called. Without this method, watched streams are polled.
   */
  readonly listen?: ((listener: () => void, stream: string) => () => void) | undefined;

  /**
   * Whether the log can never be read again because its client was closed. Watches then end with an
   * error.
   */
  isClosed?(): boolean;
}

/** The error of a watch on a store without events. */
export const noEvents = misconfigured(
  'the store has no events: enable them with its option `events`',
);
