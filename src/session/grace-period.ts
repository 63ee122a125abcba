import type { StateRecord } from './session-record.js';
import { acceptsHistory } from './session-status.js';
import { endsAt, endTimeOf } from './time-limits.js';

/**
 * When the session stops accepting history entries, exclusive, including its grace period, in
 * milliseconds since the epoch; 0 if it accepts none. An IDLE session accepts entries only in the
 * grace period after its end.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id })); // without a grace period
 * if (state) console.log(acceptsHistoryUntil(state) === endsAt(state)); // true
 * ```
 */
export const acceptsHistoryUntil = (state: StateRecord): number => {
  const { graceMs } = state.terms;
  const isUsedUp = state.budget?.reachedAt !== undefined;
  if (acceptsHistory[state.status] && !isUsedUp) return endsAt(state) + graceMs;
  if (graceMs === 0) return 0;
  return (state.status === 'TERMINATED' ? state.since : endTimeOf(state)) + graceMs;
};

/**
 * Whether the session accepts history entries at `now`.
 *
 * @example
 * ```ts
 * const state = unwrap(store.findState({ tenant: 'acme', id }));
 * if (state) console.log(acceptsHistoryAt(state, Date.now())); // true
 * ```
 */
export const acceptsHistoryAt = (state: StateRecord, now: number): boolean =>
  now < acceptsHistoryUntil(state) && !(state.status === 'IDLE' && now < endsAt(state));
