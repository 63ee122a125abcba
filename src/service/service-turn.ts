import type { SessionSchemas } from '../session/session-schemas.js';
import type { SessionService } from './session-service.js';
import type { RunOf, TurnOf } from './turn.js';

/** The argument of `run`: a turn of a session. */
export type Turn<T extends SessionSchemas = SessionSchemas> = TurnOf<T, SessionService<T>>;

/**
 * Answers a turn. If it throws, rejects or returns an `Err`, the turn is tried again later. After a
 * cancel, what it returns within five seconds is stored as its last words.
 */
export type Run<T extends SessionSchemas = SessionSchemas> = RunOf<T, SessionService<T>>;
