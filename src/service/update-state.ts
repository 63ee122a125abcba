import { err, ok, type Result } from 'neverthrow';
import { type Conflict, conflict, type NotFound, notFound, type StoreError } from '../session/errors.js';
import type { StateRecord } from '../session/session-record.js';
import type { ActiveLimit, SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** Maximum number of attempts. An attempt fails when another caller changes the session first. */
const MAX_ATTEMPTS = 32;

export interface UpdatedState<S extends StateRecord> {
  readonly state: S;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether the state was replaced. */
  readonly isChanged: boolean;
}

/** A limit on the ACTIVE sessions of the tenant, and the error if it is exceeded. */
export interface ActiveCap<E> {
  readonly sessions: ActiveLimit['sessions'];
  readonly error: E;
}

/**
 * Replaces the state with the result of `decide`. The store writes it only if the stored state is still the one that
 * was read or that this process wrote last; otherwise the state is read again, and `decide` is called again. If
 * `decide` returns the same state, nothing is written.
 */
export const updateState = async <S extends StateRecord, E>(
  { store, now, recentStates }: Settings,
  key: SessionKey,
  decide: (current: StateRecord, now: number) => Result<S, E>,
  cap?: ActiveCap<E>,
): Promise<Result<UpdatedState<S>, E | NotFound | Conflict | StoreError>> => {
  let guess = recentStates.take(key);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const isGuess = guess !== undefined;
    const found = isGuess ? ok(guess) : await store.findState(key);
    guess = undefined;
    if (found.isErr()) return err(found.error);
    const time = now();
    if (time.isErr()) return err(time.error);
    const current = found.value;
    if (current === undefined) return err(notFound(key.id));
    const decided = decide(current, time.value);
    if (isGuess && (decided.isErr() || decided.value === current)) continue;
    if (decided.isErr()) return err(decided.error);
    const next = decided.value;
    if (next === current) return ok({ state: next, now: time.value, isChanged: false });
    const replaced = await store.replace(key, next, cap && { sessions: cap.sessions, now: time.value });
    if (replaced.isErr()) return err(replaced.error);
    if (replaced.value === 'replaced') {
      recentStates.add(key, next);
      return ok({ state: next, now: time.value, isChanged: true });
    }
    if (replaced.value === 'missing') return err(notFound(key.id));
    if (replaced.value === 'too_many' && cap !== undefined) return err(cap.error);
  }
  return err(conflict(key.id));
};
