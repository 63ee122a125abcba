import type { Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { changeDetailOf } from '../session/event-detail.js';
import { randomRevision } from '../session/random-revision.js';
import type { StateRecord } from '../session/session-record.js';
import type { ActiveLimit, Replaced, SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** The states of a change: the one that was read, and what was decided from it. */
export interface StateChange<S extends StateRecord> {
  readonly previous: StateRecord;
  readonly decided: S;
}

/** The state with a revision of its own if it was stored, or why it was not. */
export type ReplacedState<S extends StateRecord> =
  | { readonly outcome: 'replaced'; readonly state: S }
  | { readonly outcome: Exclude<Replaced, 'replaced'> };

/** Stores a state with its event, if the state that it was decided from is still the stored one. */
export const replaceState = async <S extends StateRecord>(
  { store, random }: Settings,
  key: SessionKey,
  { previous, decided }: StateChange<S>,
  cap?: ActiveLimit,
): Promise<Result<ReplacedState<S>, StoreError>> => {
  const state: S = { ...decided, revision: randomRevision(random) };
  const event = changeDetailOf(previous, state);
  const replaced = await store.replace(key, previous, state, { event, cap });
  return replaced.map((outcome) => (outcome === 'replaced' ? { outcome, state } : { outcome }));
};
