import { err, ok, type Result } from 'neverthrow';
import { type Held, held, type NotHolder, notHolder } from '../errors.js';
import { timestampOf } from './clock.js';
import type { SessionHold } from './session.js';
import type { HoldRecord, StateRecord } from './session-record.js';
import { type InvalidTransition, invalidTransition } from './session-status.js';
import { stateAt } from './timeline.js';

const currentHold = ({ hold }: StateRecord, now: number): HoldRecord | undefined =>
  hold !== undefined && now < hold.until ? hold : undefined;

export const sessionHoldOf = ({ holder, fence, until }: HoldRecord): SessionHold => ({
  holder,
  fence,
  until: timestampOf(until),
});

/** The hold on a session that has not ended, at `now`, in milliseconds since the epoch. */
export const holdAt = (state: StateRecord, now: number): SessionHold | undefined => {
  const hold = currentHold(state, now);
  return hold && sessionHoldOf(hold);
};

/** Whether the current hold at `now` has this fence. */
export const isHeldWith = (state: StateRecord, fence: number, now: number): boolean =>
  currentHold(state, now)?.fence === fence;

/** A state with a hold, current or not. */
export type HeldState = StateRecord & { readonly hold: HoldRecord };

/** The next state with a hold from `now` on. The same holder extends its current hold and keeps the fence. */
export const holdState = (
  state: StateRecord,
  { holder, durationMs }: { readonly holder: string; readonly durationMs: number },
  now: number,
): Result<HeldState, Held | InvalidTransition> => {
  const { status } = stateAt(state, now);
  if (status === 'TERMINATED') return err(invalidTransition(status, 'hold'));
  const current = currentHold(state, now);
  if (current !== undefined && current.holder !== holder) {
    return err(held(current.holder, timestampOf(current.until)));
  }
  // The first fence is the revision, which differs if a session was deleted and created again under its id.
  const fence = current?.fence ?? (state.hold === undefined ? state.revision : state.hold.fence + 1);
  return ok({ ...state, revision: state.revision + 1, hold: { holder, fence, until: now + durationMs } });
};

/** The next state without the hold of this fence, or `state` itself if that hold is over and no other followed. */
export const releaseState = (state: StateRecord, fence: number, now: number): Result<StateRecord, NotHolder> => {
  const { hold } = state;
  if (hold?.fence !== fence) return err(notHolder(fence));
  if (currentHold(state, now) === undefined) return ok(state);
  return ok({ ...state, revision: state.revision + 1, hold: { ...hold, until: 0 } });
};
