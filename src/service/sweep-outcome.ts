import type { SweepFailure } from '../session/errors.js';
import type { EndedSession } from '../session/session-at.js';
import type { SessionKey } from '../store/session-store.js';
import type { SweptSession } from './operation-results.js';

/** The outcome of a sweep for one session or one end. */
export interface SweepOutcome {
  /** Whether the session was moved or removed, so that it is not due now. */
  readonly isDone: boolean;
  readonly ended?: SweptSession;
  readonly reported?: EndedSession;
  readonly deleted?: SessionKey;
  readonly failed?: SweepFailure;
}
