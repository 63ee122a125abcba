import type { Result } from 'neverthrow';
import type { Misconfigured } from '../session/errors.js';
import type { SessionStore } from '../store/session-store.js';
import type { EventHub } from './event-hub.js';

/** What a watch needs of the service that it belongs to. */
export interface WatchSource {
  readonly store: SessionStore;
  readonly tenant: string;
  /** Set if the store has events. */
  readonly hub: EventHub | undefined;
  /** The time of the service, in milliseconds since the epoch. */
  readonly now: () => Result<number, Misconfigured>;
  /** Calls `done` when the clock has gone on by `ms`, or earlier; returns a function that prevents the call. */
  readonly after: (ms: number, done: () => void) => () => void;
}
