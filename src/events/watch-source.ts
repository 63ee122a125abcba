import type { Result } from 'neverthrow';
import type { Timer } from '../session/clock.js';
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
  /** Its timer, by which a watch waits. */
  readonly after: Timer;
}
