import type { Result } from 'neverthrow';
import type { Timer } from '../session/clock.js';
import type { Misconfigured } from '../session/errors.js';
import type { SessionStore } from '../store/session-store.js';

export interface HubSource {
  readonly store: SessionStore;
  readonly now: () => Result<number, Misconfigured>;
  readonly after: Timer;
}
