import type { StateRecord } from '../../src/session/session-record.js';
import type { Changed } from '../../src/store/commit.js';

/** The guards that a begin and a removal may fail. */
export const BEGIN_GUARDS = ['absent', 'source', 'live'] as const;
export const REMOVE_GUARDS = ['present', 'revision', 'unusedSince'] as const;

/** The guards of changes, by what a refusal contains. */
const STATE_GUARDS = ['revision', 'unusedSince', 'open', 'over', 'fence', 'counters'] as const;
const POSITION_GUARDS = ['end', 'superseded'] as const;
const OTHER_GUARDS = [
  'operation',
  'message',
  'present',
  'inbox',
  'position',
  'entries',
  'dueAt',
  'live',
] as const;

/** A refusal that contains nothing but its guard. */
export interface Refused<G> {
  readonly outcome: 'refused';
  readonly guard: G;
}

/** The refusal by a guard, if it is one of `guards`. */
export const refusedBy = <G extends string>(
  guards: readonly G[],
  name: unknown,
): Refused<G> | undefined => {
  const guard = guards.find((each) => each === name);
  return guard && { outcome: 'refused', guard };
};

/**
 * The refusal of a change by a guard with its position or number of rewinds; undefined for an
 * unknown guard, `corrupt` if the state that it failed for cannot be read.
 */
export const refusedChange = (
  name: unknown,
  number: number,
  stateOf: () => StateRecord | undefined,
): Changed | 'corrupt' | undefined => {
  const placed = refusedBy(POSITION_GUARDS, name);
  if (placed) return { ...placed, position: number };
  if (name === 'rewinds') return { outcome: 'refused', guard: name, rewinds: number };
  const stated = refusedBy(STATE_GUARDS, name);
  if (!stated) return refusedBy(OTHER_GUARDS, name);
  const state = stateOf();
  return state ? { ...stated, state } : 'corrupt';
};
