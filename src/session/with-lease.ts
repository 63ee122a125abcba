import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { disposable } from './async-dispose.js';
import { callHost } from './call-host.js';
import {
  type CallbackFailed,
  type Cancelled,
  callbackFailed,
  type InvalidInput,
  invalidField,
  type LeaseEnded,
  leaseLost,
} from './errors.js';
import { type LeaseClock, LeaseRenewal, type TakenAt } from './lease-renewal.js';
import type { SessionLease, TakenLease } from './session.js';
import type { WatchSignal } from './session-event.js';

/**
 * The runtime's `AbortSignal`, or `WatchSignal` in a program without the types of the DOM or of
 * Node.
 */
export type LeaseSignal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : WatchSignal;

/** The argument of the function that runs under a lease. `S` is the type of `sessions`. */
export interface HeldLease<S> {
  /**
   * The same sessions, whose appends and commands on the leased session carry the token: they fail
   * with `lease_lost` once the lease is over, even if this process was suspended in between.
   */
  readonly sessions: S;
  /**
   * Aborted when the lease is lost or was not renewed in time, and when the session has ended or
   * was deleted: stop working on the session then. `reason` is the error, for example `lease_lost`.
   */
  readonly signal: LeaseSignal;
  /** For calls that do not go through `sessions`, for example those of another process. */
  readonly fencingToken: number;
}

/** The value that a callback returns: that of its result if it returns a result. */
export type ReturnedValue<T> = T extends Result<infer V, unknown> ? V : T;

/** The error of the result that a callback returns. */
export type ReturnedError<T> = T extends Result<unknown, infer E> ? E : never;

/** A lease whose token the writes on its session carry. */
export interface Fence {
  readonly id: string;
  readonly fencingToken: number;
  /** The number of the turn that runs under the lease, if there is one. */
  readonly turn?: number;
}

/**
 * The fencing token of a write on a session: the one that was given, or that of the lease on it.
 */
export const fencingTokenFor = <T>(
  fence: Fence | undefined,
  id: string,
  given: T | undefined,
): T | number | undefined => given ?? (fence?.id === id ? fence.fencingToken : undefined);

export interface HoldOperations<S, R extends { readonly type: string }> {
  sessions(fencingToken: number): S;
  renew(fencingToken: number, seconds: number): ResultAsync<SessionLease, R>;
  /** `isDone`: whether the function that ran under the lease has returned a value. */
  release(fencingToken: number, isDone: boolean): ResultAsync<unknown, ReleaseError>;
  /**
   * Calls `check` when the lease may be over, so that this is not noticed only by the next renewal.
   * Returns a function that ends this.
   */
  onDoubt?(check: () => void): () => void;
}

export interface LeaseOperations<S, E, R extends { readonly type: string }>
  extends HoldOperations<S, R> {
  lease(): ResultAsync<SessionLease, E>;
}

type ReleaseError = { readonly type: string } | Cancelled;

/** The length of a lease in an unchecked input, in seconds; 0 if it is not a valid length. */
const secondsIn = (input: unknown): number => {
  const seconds = callHost(() => Number(Reflect.get(Object(input), 'seconds')));
  return seconds !== undefined && Number.isFinite(seconds) ? seconds : 0;
};

/**
 * Whether a value is a result. Not by `instanceof`, because the caller may have another copy of
 * neverthrow.
 */
export const isResult = (value: unknown): value is Result<unknown, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  'isErr' in value &&
  typeof value.isErr === 'function' &&
  ('value' in value || 'error' in value);

/**
 * The result of `use`: its own if it returns one, and the reason of the signal if it throws that.
 */
const resultOf = async (
  use: () => unknown,
  signal: AbortSignal,
): Promise<Result<unknown, unknown>> => {
  try {
    const value = await use();
    if (!isResult(value)) return ok(value);
    return value.isErr() ? err(value.error) : ok(value.value);
  } catch (cause) {
    const isReason = signal.aborted && cause === signal.reason;
    return err(isReason ? cause : callbackFailed(cause));
  }
};

const isCancelled = (error: ReleaseError): error is Cancelled => error.type === 'cancelled';

const lostOf = <R extends { readonly type: string }>(
  renewal: LeaseRenewal<R>,
  released: Result<unknown, ReleaseError>,
  fencingToken: number,
): LeaseEnded | undefined => {
  if (released.isErr() && isCancelled(released.error)) return released.error;
  const isReplaced =
    released.isErr() && (renewal.isRefused || released.error.type === 'lease_lost');
  if (renewal.hasRunOut || isReplaced) return leaseLost(fencingToken);
  return undefined;
};

const holdLease = async <S, R extends { readonly type: string }>(
  operations: HoldOperations<S, R>,
  clock: LeaseClock,
  taken: TakenAt,
  use: (lease: HeldLease<S>) => unknown,
): Promise<Result<unknown, unknown>> => {
  const { fencingToken, seconds } = taken;
  const renewal = new LeaseRenewal(() => operations.renew(fencingToken, seconds), clock, taken);
  const stop = operations.onDoubt?.(() => renewal.check());
  const sessions = operations.sessions(fencingToken);
  const { signal } = renewal;
  const used = await resultOf(() => use({ sessions, signal, fencingToken }), signal);
  renewal.stop();
  stop?.();
  // A lease that cannot be released runs out by itself.
  const released = await operations.release(fencingToken, used.isOk());
  const lost = used.isOk() ? lostOf(renewal, released, fencingToken) : undefined;
  return lost === undefined ? used : err(lost);
};

/**
 * Calls `use` under a lease, renews the lease while it runs, and releases it at the end. Returns
 * the value or the result of `use`, `callback_failed` if `use` throws anything but the reason of
 * the signal, and `lease_lost` or `cancelled` in place of a value if the lease was over before
 * `use` had finished. Never rejects.
 */
export function withLease<T, S, E, R extends { readonly type: string }>(
  operations: LeaseOperations<S, E, R>,
  clock: LeaseClock,
  input: unknown,
  use: (lease: HeldLease<S>) => T,
): Promise<
  Result<
    ReturnedValue<Awaited<T>>,
    E | InvalidInput | LeaseEnded | CallbackFailed | ReturnedError<Awaited<T>>
  >
>;
export async function withLease<S, E, R extends { readonly type: string }>(
  operations: LeaseOperations<S, E, R>,
  clock: LeaseClock,
  input: unknown,
  use: (lease: HeldLease<S>) => unknown,
): Promise<Result<unknown, unknown>> {
  if (typeof use !== 'function') return err(invalidField('use', 'must be a function'));
  const seconds = secondsIn(input);
  const begunAt = clock.now();
  const taken = await operations.lease();
  if (taken.isErr()) return err(taken.error);
  const { fencingToken } = taken.value;
  return holdLease(operations, clock, { fencingToken, begunAt, seconds }, use);
}

/** A lease that `release` ends when it is disposed of. */
export const takenLease = (
  lease: SessionLease,
  release: (lease: SessionLease) => ResultAsync<unknown, { readonly type: string }>,
): TakenLease =>
  disposable(lease, async () => {
    await release(lease);
  });
