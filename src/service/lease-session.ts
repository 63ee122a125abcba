import type { Result } from 'neverthrow';
import { parseLease, parseRenew } from '../input/command-inputs.js';
import {
  type LeasedState,
  leaseState,
  renewState,
  sessionLeaseOf,
} from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionLease } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';
import { decideState } from './update-state.js';

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

export type Done<N extends keyof OperationErrors, V = undefined> = Promise<
  Result<V, OperationErrors[N]>
>;

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
