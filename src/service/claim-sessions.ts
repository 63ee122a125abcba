import { err, ok, type Result } from 'neverthrow';
import { type ParsedClaim, parseClaim } from '../input/session-input.js';
import { claimState } from '../session/claim-state.js';
import type { StoreError } from '../session/errors.js';
import { sessionLeaseOf } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionAt } from '../session/session-at.js';
import { findSession } from '../store/find-session.js';
import type { SessionKey } from '../store/session-store.js';
import type { LeaseInput } from './lease-session.js';
import type { ClaimedSession, Claims } from './operation-results.js';
import { replaceState } from './replace-state.js';
import type { Settings } from './settings.js';

/** Input of `claim`. */
export interface ClaimInput extends LeaseInput {
  /** Maximum number of sessions, from 1; above 100 it counts as 100. Default: 1. */
  readonly limit?: number;
}

/**
 * Milliseconds in which a session that `SessionStore.claim` returned gets its lease. If the process dies before, other
 * claims return the session after them.
 */
const CLAIM_MS = 10_000;

/**
 * Leases one session that the store has handed out, unless it no longer wants a worker. If another caller changes it
 * first, that change has made it claimable again if it still wants one.
 */
const claimOne = async (
  settings: Settings,
  key: SessionKey,
  { limit: _, ...lease }: ParsedClaim,
): Promise<Result<ClaimedSession | undefined, StoreError>> => {
  const { store, now, random, recentStates } = settings;
  const found = await findSession(store, key, { historyLimit: 0 });
  if (found.isErr()) return err(found.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const record = found.value;
  if (record === undefined) return ok(undefined);
  const decided = claimState(record.state, { ...lease, random: random() }, time.value);
  if (decided === undefined) return ok(undefined);
  const replaced = await replaceState(settings, key, { previous: record.state, decided, now: time.value });
  if (replaced.isErr()) return err(replaced.error);
  if (replaced.value.outcome !== 'replaced') return ok(undefined);
  const { state } = replaced.value;
  recentStates.add(key, state);
  return ok({
    session: sessionAt({ ...record, state }, time.value),
    lease: sessionLeaseOf(state.lease),
  });
};

/** The claims of these results; the error if no session could be claimed because of it. */
const claimsOf = (
  keys: readonly SessionKey[],
  results: readonly Awaited<ReturnType<typeof claimOne>>[],
): Result<Omit<Claims, 'limit'>, StoreError> => {
  const claimed: ClaimedSession[] = [];
  const unreadable: string[] = [];
  let failure: StoreError | undefined;
  for (const [at, result] of results.entries()) {
    const id = keys[at]?.id ?? '';
    if (result.isOk()) {
      if (result.value !== undefined) claimed.push(result.value);
      continue;
    }
    const { error } = result;
    if (error.type === 'corrupt_record') unreadable.push(id);
    else failure = error;
  }
  if (claimed.length === 0 && failure !== undefined) return err(failure);
  return ok({ claimed, unreadable });
};

export const claimSessions = async (
  settings: Settings,
  input: unknown,
): Promise<Result<Claims, OperationErrors['claim']>> => {
  const { store, tenant, now } = settings;
  const read = parseClaim(input);
  if (read.isErr()) return err(read.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const { limit } = read.value;
  const range = { tenant, now: time.value, until: time.value + CLAIM_MS, limit };
  const found = await store.claim(range);
  if (found.isErr()) return err(found.error);
  const keys = found.value.sessions;
  const [failure] = found.value.failed;
  if (keys.length === 0 && failure !== undefined) return err(failure);
  const results = await Promise.all(keys.map((key) => claimOne(settings, key, read.value)));
  return claimsOf(keys, results).map((claims) => ({ ...claims, limit }));
};
