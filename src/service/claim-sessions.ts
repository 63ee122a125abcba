import { err, ok, type Result } from 'neverthrow';
import { type ParsedClaim, parseClaim } from '../input/command-inputs.js';
import { timestampOf } from '../session/clock.js';
import type { StoreError } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionRecord } from '../session/session-record.js';
import { type Claim, claimState } from '../session/turn-state.js';
import { hasRunOut } from '../session/work-state.js';
import { findSession } from '../store/find-session.js';
import type { TakenRecord, TakeRange } from '../store/session-store.js';
import { checkRead } from './check-reads.js';
import type { LeaseInput } from './lease-session.js';
import type { ClaimedSession, Claims } from './operation-results.js';
import type { Settings } from './settings.js';
import { turnOfClaim } from './turn-of-claim.js';
import { replaceState, type Stepped } from './update-state.js';

/**
 * Input of `claim` and of `claimAny`.
 *
 * @example
 * ```ts
 * const { claimed } = await sessions.orThrow.claim({
 *   holder: 'worker-1',
 *   seconds: 60,
 *   limit: 5,
 *   historyLimit: 20,
 *   attempts: 3,
 *   messages: 10,
 * });
 * ```
 */
export interface ClaimInput extends LeaseInput {
  /** Maximum number of sessions, from 1; above 100 it counts as 100. Default: 1. */
  readonly limit?: number | undefined;
  /**
   * Maximum number of the latest entries of each history, from 0; above 1000 it counts as 1000.
   * Each history has an equal share of `limits.pageBytes`, one of `limit` shares: a longer history
   * is cut to fewer entries, at least one. Default: 0.
   */
  readonly historyLimit?: number | undefined;
  /**
   * Maximum number of claims of a session until its work is done, 1 to 1000. The session then waits
   * for no worker until it is woken again, has the label `colloquy.work` with the value
   * `exhausted`, and an event `session.exhausted`. Default: 10.
   */
  readonly attempts?: number | undefined;
  /**
   * Maximum number of messages that each turn takes from the inbox, in all its attempts until the
   * last has failed, from 1; above 100 it counts as 100. Default: 100.
   */
  readonly messages?: number | undefined;
}

/**
 * Milliseconds in which a session that `SessionStore.take` returned gets its lease. If the process
 * dies first, other claims return the session after this time, or after the length of the lease.
 */
const CLAIM_MS = 10_000;

/**
 * Maximum number of calls of the store in one claim. Ten calls search all parts of a store; the
 * rest are for expired sessions, which a store passes over in bounded steps.
 */
const MAX_CALLS = 100;

interface DueRecord extends TakenRecord {
  /** The position before the history of `record`. */
  readonly start: number;
}

/**
 * Reads the latest entries of a claimed session, as many as fit into its share of the answer. If
 * the history was rewound or redacted since the record was read, both are read again. Undefined if
 * the session is gone.
 */
const withHistory = async (
  { store, policy }: Settings,
  due: TakenRecord,
  { limit, historyLimit }: ParsedClaim,
): Promise<Result<DueRecord | undefined, StoreError>> => {
  const { record: first, dueAt: _, ...key } = due;
  if (historyLimit === 0) return ok({ ...due, start: first.historyPosition });
  const maxBytes = Math.floor(policy.limits.pageBytes / limit);
  let record: SessionRecord | undefined = first;
  for (let read = 1; record !== undefined && read <= MAX_RACES; read += 1) {
    const { historyPosition: before, historyVersion }: SessionRecord = record;
    const part = await store.entries(key, { limit: historyLimit, maxBytes, before });
    if (part.isErr()) return err(part.error);
    if (part.value.outcome === 'found' && part.value.version === historyVersion) {
      const { entries, start } = part.value;
      const history = entries.map(({ position: _position, ...entry }) => entry);
      return ok({ ...due, record: { ...record, history }, start });
    }
    const again = await findSession(store, key, { historyLimit: 0 });
    if (again.isErr()) return err(again.error);
    record = again.value;
  }
  return ok(undefined);
};

const claimedOf = async (
  settings: Settings,
  { record, start, dueAt, ...key }: DueRecord,
  claim: Claim,
  { state, changed, now }: Stepped,
): Promise<Result<ClaimedSession, StoreError>> => {
  const turn = await turnOfClaim(settings, key, claim, changed?.messages);
  if (turn.isErr()) return err(turn.error);
  const claimed = {
    tenant: key.tenant,
    start,
    position: changed?.position || record.historyPosition,
    ...turn.value,
    ...(hasRunOut(record.state, now) && { isAlone: true }),
    waitingSince: timestampOf(dueAt),
  };
  const session = sessionAt({ ...record, state }, now);
  const checked = await checkRead(settings.policy, key.id, session);
  return checked.map((read) => ({ ...claimed, session: read }));
};

/**
 * Leases one session that the store has handed out, unless it no longer waits for a worker. If
 * another caller changes it first, that change has made it claimable again if it still waits.
 */
const claimOne = async (
  settings: Settings,
  due: TakenRecord,
  input: ParsedClaim,
): Promise<Result<ClaimedSession | undefined, StoreError>> => {
  const { now, random, recentStates } = settings;
  const found = await withHistory(settings, due, input);
  if (found.isErr()) return err(found.error);
  if (found.value === undefined) return ok(undefined);
  const { record, tenant, id } = found.value;
  const key = { tenant, id };
  const time = now();
  if (time.isErr()) return err(time.error);
  const claim = { ...input, random: random(), start: record.historyPosition };
  const decided = claimState(record.state, claim, time.value);
  if (decided === undefined) return ok(undefined);
  const { state } = decided;
  const effects = decided.outcome === 'claimed' ? { take: decided.take } : undefined;
  const change = { previous: record.state, state, now: time.value, effects };
  const replaced = await replaceState(settings, key, change);
  if (replaced.isErr()) return err(replaced.error);
  if (replaced.value.outcome !== 'replaced') return ok(undefined);
  if (decided.outcome === 'exhausted') return ok(undefined);
  recentStates.add(key, replaced.value.state);
  return claimedOf(settings, found.value, decided, { ...replaced.value, now: time.value });
};

interface Collected {
  readonly claimed: ClaimedSession[];
  readonly unreadable: string[];
}

const collect = (
  claims: Collected,
  results: readonly Awaited<ReturnType<typeof claimOne>>[],
): StoreError | undefined => {
  let failure: StoreError | undefined;
  for (const result of results) {
    if (result.isOk()) {
      if (result.value !== undefined) claims.claimed.push(result.value);
    } else if (result.error.type === 'corrupt_record') {
      claims.unreadable.push(result.error.id);
    } else {
      failure = result.error;
    }
  }
  return failure;
};

const claimPart = async (
  settings: Settings,
  input: ParsedClaim,
  range: Omit<TakeRange, 'now' | 'until'>,
) => {
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const now = time.value;
  const until = now + Math.min(CLAIM_MS, input.seconds * 1000);
  const found = await settings.store.take({ ...range, now, until });
  if (found.isErr()) return err(found.error);
  const { sessions, failed, hasMore, nextCursor } = found.value;
  const leased = await Promise.all(sessions.map((each) => claimOne(settings, each, input)));
  return ok({ results: [...failed.map((error) => err(error)), ...leased], hasMore, nextCursor });
};

/** Claims sessions of `tenant`, or of all tenants if it is undefined. */
export const claimSessions = async (
  settings: Settings,
  tenant: string | undefined,
  input: unknown,
): Promise<Result<Claims, OperationErrors['claim']>> => {
  const read = parseClaim(input);
  if (read.isErr()) return err(read.error);
  const { limit } = read.value;
  const claims: Collected = { claimed: [], unreadable: [] };
  let failure: StoreError | undefined;
  let cursor: string | undefined;
  for (let call = 1; call <= MAX_CALLS && claims.claimed.length < limit; call += 1) {
    const before = claims.claimed.length;
    const range = { tenant, limit: limit - before, cursor, inCompany: before > 0 };
    const part = await claimPart(settings, read.value, range);
    if (part.isErr()) {
      failure = part.error;
      break;
    }
    const { results, hasMore, nextCursor } = part.value;
    failure = collect(claims, results) ?? failure;
    cursor = nextCursor;
    if (claims.claimed.some(({ isAlone }) => isAlone)) break;
    // Some may have been passed over, for example because other callers have changed them.
    const wasPassedOver = claims.claimed.length - before < results.length;
    if (cursor === undefined && !hasMore && !wasPassedOver) break;
  }
  if (claims.claimed.length === 0 && failure !== undefined) return err(failure);
  return ok({ ...claims, limit });
};
