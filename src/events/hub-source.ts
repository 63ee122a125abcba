import type { Result } from 'neverthrow';
import type { Timer } from '../session/clock.js';
import type { Misconfigured } from '../session/errors.js';
import type { SessionStore } from '../store/session-store.js';

/** The part of a service that its watches share. */
export interface HubSource {
  readonly store: SessionStore;
  /** The time of the service, in milliseconds since the epoch. */
  readonly now: () => Result<number, Misconfigured>;
  /** The timer of the service, for the waits of watches. */
  readonly after: Timer;
}
