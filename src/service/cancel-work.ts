import { parseCancel } from '../input/command-inputs.js';
import { cancelState } from '../session/turn-state.js';
import type { SessionKey } from '../store/session-store.js';
import type { Done } from './lease-session.js';
import type { Settings } from './settings.js';
import { decideState } from './update-state.js';

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

export const cancelWork = (settings: Settings, key: SessionKey, options: unknown): Done<'cancel'> =>
  decideState(settings, key, parseCancel(options), cancelState, () => undefined);
