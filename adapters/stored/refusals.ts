import type { StateRecord } from '../../src/session/session-record.js';
import type { Changed } from '../../src/store/commit.js';

export const BEGIN_GUARDS = ['absent', 'source', 'live'] as const;
export const REMOVE_GUARDS = ['present', 'revision', 'unusedSince'] as const;

/* The guards of changes, by what a refusal contains. */
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

export interface Refused<G> {
  readonly outcome: 'refused';
  readonly guard: G;
}

export const refusedBy = <G extends string>(
  guards: readonly G[],
  name: unknown,
): Refused<G> | undefined => {
  const guard = guards.find((each) => each === name);
  return guard && { outcome: 'refused', guard };
};

/**
 * `number`: the position, or the number of rewinds. Undefined for an unknown guard, `corrupt` if
 * the stored state cannot be read.
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
