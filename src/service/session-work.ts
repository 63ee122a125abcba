import type { Result } from 'neverthrow';
import { parseCancel, parseLease, parseRenew, parseWake } from '../input/command-inputs.js';
import {
  type LeasedState,
  leaseState,
  renewState,
  sessionLeaseOf,
  wakeState,
} from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters, SessionLease } from '../session/session.js';
import { cancelState } from '../session/turn-state.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import type { TurnEntries } from './turn.js';
import { decideState } from './update-state.js';

/** Options of `wake`. */
export interface WakeOptions {
  /** When the session begins to wait for a worker: an RFC 3339 string or a `Date`. Default: now. */
  readonly at?: string | Date | undefined;
}

/** Input of `lease`. */
export interface LeaseInput {
  /**
   * The name of the caller, 1 to 256 characters. Use a different name for each worker, for example
   * a random string: if the name already holds the session, a new `lease` replaces the earlier
   * lease. `claim` skips sessions that are leased, whoever holds them.
   */
  readonly holder: string;
  /** Duration of the lease from now in seconds, 0.001 to 86400, rounded to milliseconds. */
  readonly seconds: number;
}

/** Input of `renew`. */
export interface RenewInput {
  /** The fencing token of the lease to extend. */
  readonly fencingToken: number;
  /** Duration of the lease from now in seconds, 0.001 to 86400, rounded to milliseconds. */
  readonly seconds: number;
}

/**
 * Input of `release`.
 *
 * @example
 * ```ts
 * await sessions.orThrow.send(id, 'And a tunnel.');
 * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
 * for (const { lease: { fencingToken } } of claimed)
 *   await sessions.orThrow.release(id, { fencingToken, error: 'the model is busy' });
 * const { work } = await sessions.orThrow.get(id);
 * console.log(work?.state, work?.error); // retrying the model is busy
 * ```
 *
 * @example
 * ```ts
 * await sessions.orThrow.send(id, 'And a tunnel.');
 * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
 * const [entries, usage] = ['How long is it?', { tokens: 900 }];
 * for (const { lease: { fencingToken } } of claimed)
 *   await sessions.orThrow.release(id, { fencingToken, done: true, entries, usage });
 * ```
 */
export interface ReleaseInput {
  /** The fencing token of the lease to end. */
  readonly fencingToken: number;
  /**
   * After a claim: whether the work is done. If not, the session waits for a worker again after a
   * delay. Default: false.
   */
  readonly done?: boolean | undefined;
  /**
   * Only with `done`: what the turn says at its end, stored in the same step. A string or entries,
   * whose default role is `assistant`. Default: none.
   */
  readonly entries?: TurnEntries | undefined;
  /** Only with `done`: what the turn has used, counted in the same step. Default: nothing. */
  readonly usage?: Counters | undefined;
  /** Why the work is not done: the `error` of `work`, at most 500 characters. Default: none. */
  readonly error?: string | undefined;
}

/**
 * Options of `cancel`.
 *
 * @example
 * ```ts
 * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
 * await sessions.orThrow.cancel(id, { reason: 'hung up' });
 * const renewed = await sessions.renew(id, { fencingToken, seconds: 30 });
 * const error = renewed.isErr() ? renewed.error : undefined;
 * if (error?.type === 'cancelled') console.log(error.reason); // hung up
 * ```
 */
export interface CancelOptions {
  /** For the worker, 1 to 256 characters: the `reason` of its error `cancelled`. Default: none. */
  readonly reason?: string | undefined;
}

type Done<N extends keyof OperationErrors, V = undefined> = Promise<Result<V, OperationErrors[N]>>;

export const wakeSession = (settings: Settings, key: SessionKey, options: unknown): Done<'wake'> =>
  decideState(
    settings,
    key,
    parseWake(options),
    (current, { at }, now) => wakeState(current, at ?? now, now),
    () => undefined,
  );

const leaseOf = ({ work: { lease } }: LeasedState): SessionLease => sessionLeaseOf(lease);

export const leaseSession = (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Done<'lease', SessionLease> =>
  decideState(
    settings,
    key,
    parseLease(input),
    (current, lease, now) => leaseState(current, { ...lease, random: settings.random() }, now),
    leaseOf,
  );

export const renewLease = (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Done<'renew', SessionLease> =>
  decideState(settings, key, parseRenew(input), renewState, leaseOf);

export const cancelWork = (settings: Settings, key: SessionKey, options: unknown): Done<'cancel'> =>
  decideState(settings, key, parseCancel(options), cancelState, () => undefined);
