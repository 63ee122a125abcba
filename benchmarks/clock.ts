import type { Clock } from '../src/index.js';
import { SessionService, type SessionStore } from './colloquy.js';

const DAY_MS = 86_400_000;

const wall = Date.now();
const elapsed = performance.now();

/** Noon of the day on which this process began. */
const noon = wall - (wall % DAY_MS) + DAY_MS / 2;

/**
 * Runs with the machine, but begins at noon: in the evening, time limits would end on another day,
 * and formatting two dates in turns costs more than one.
 */
export const fromNoon: Clock = {
  now: () => noon + Math.floor(performance.now() - elapsed),
};

/** A service whose figures do not depend on the time of day. */
export const serviceOf = (
  store: SessionStore,
  options: Omit<ConstructorParameters<typeof SessionService>[0], 'store' | 'clock'> = {},
): SessionService => new SessionService({ ...options, store, clock: fromNoon });
