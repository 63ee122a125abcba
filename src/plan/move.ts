import type { DueKey } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import { endsAt } from '../session/time-limits.js';
import type { Move } from '../store/commit.js';

/** When a session is due, and when it is to be due. Milliseconds since the epoch. */
export interface Times {
  readonly from: number;
  /** `Infinity` for never. */
  readonly to: number;
}

/**
 * Moves a session among those that are due. With its state, never past the end of a session that
 * has not ended, because lists by status look for ended sessions among the due ones. Undefined if
 * it would stay where it is.
 */
export const planMove = (
  key: DueKey,
  { from, to }: Times,
  state: StateRecord | undefined,
): Move | undefined => {
  const isBound =
    state !== undefined && state.status !== 'TERMINATED' && state.report === undefined;
  const dueAt = isBound ? Math.min(to, endsAt(state)) : to;
  if (dueAt === from) return undefined;
  return {
    key,
    guards: { dueAt: from, revision: isBound ? state.revision : undefined },
    effects: { dueAt },
  };
};
