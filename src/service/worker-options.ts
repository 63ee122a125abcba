import { leaseHolder, leaseSeconds } from '../input/command-inputs.js';
import { callback, listener } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { number, onOrOff, upTo } from '../schema/values.js';
import type { WorkFailed } from '../session/errors.js';
import { CLAIM_LIMIT, DEFAULT_CLAIMS, MAX_CLAIMS } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { HeldLease } from '../session/with-lease.js';
import type { SessionService } from './session-service.js';

/** The argument of `run`: a session that waits for a worker, under a lease. */
export interface ClaimedWork<out T extends SessionSchemas = SessionSchemas>
  extends HeldLease<SessionService<T>> {
  /** The tenant of the session. */
  readonly tenant: string;
  /** The session as it was when it was claimed, without its history. */
  readonly session: Session<T>;
  /** Number of this attempt since the work was last done, from 1. */
  readonly attempt: number;
  /** Since when the session has waited: RFC 3339, UTC, milliseconds. */
  readonly waitingSince: string;
}

/**
 * Options of `createWorker`.
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: ({ session }) => console.info('wanted', session.id),
 *   concurrency: 4,
 *   seconds: 60,
 *   attempts: 3,
 *   interval: 2,
 *   onError: ({ type, message }) => console.error(type, message),
 * });
 * ```
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: ({ tenant, session }) => console.info('wanted', tenant, session.id),
 *   allTenants: true,
 *   holder: 'worker-1',
 * });
 * ```
 */
export interface WorkerOptions<T extends SessionSchemas = SessionSchemas> {
  /**
   * Does the work on a session. If it returns, the work is done, unless the session was woken since
   * the claim. If it throws, rejects or returns an `Err`, it is called again later, here or in
   * another worker. Stop when `signal` is aborted: the work was cancelled, the session has ended,
   * or another worker may have it. A crash may repeat work: give an `operationId` to writes that
   * are the same in each attempt.
   */
  readonly run: (work: ClaimedWork<T>) => unknown;
  /** Maximum number of sessions at the same time, 1 to 100. Default: 10. */
  readonly concurrency?: number | undefined;
  /**
   * Seconds of a lease, which is renewed at each third of them, 0.001 to 86400: after a crash, a
   * session waits for that long. Default: 30.
   */
  readonly seconds?: number | undefined;
  /** Maximum number of claims until the work is done, 1 to 1000; see `ClaimInput`. Default: 10. */
  readonly attempts?: number | undefined;
  /** The name of the worker in leases. Default: a random text. */
  readonly holder?: string | undefined;
  /** Whether to work for all tenants, and not for that of the service. Default: false. */
  readonly allTenants?: boolean | undefined;
  /**
   * Seconds between two polls, 0.01 to 3600. With events in the store, a worker learns at once of a
   * session that is woken now; its polls find scheduled wakes and work of crashed workers. Default:
   * 0.5.
   */
  readonly interval?: number | undefined;
  /** Called for each error. Default: errors are ignored. */
  readonly onError?: ((error: OperationErrors['claim'] | WorkFailed) => unknown) | undefined;
}

const parse = optionsOf('createWorker', {
  run: callback,
  concurrency: optional(upTo(CLAIM_LIMIT), 10),
  seconds: optional(leaseSeconds, 30),
  attempts: optional(upTo(MAX_CLAIMS), DEFAULT_CLAIMS),
  holder: optional(leaseHolder),
  allTenants: onOrOff,
  interval: optional(number(0.01, 3600), 0.5),
  onError: listener,
} satisfies Readonly<Record<keyof WorkerOptions, Schema<unknown>>>);

/** The checked options of a worker. */
export type WorkerSettings = ReturnType<typeof parseWorkerOptions>;

export const parseWorkerOptions = <T extends SessionSchemas>(
  options: WorkerOptions<T>,
  random: () => number,
) => {
  const parsed = parse(options);
  const { interval, holder = `worker-${random().toString(36).slice(2)}` } = parsed;
  return { ...parsed, holder, intervalMs: 1000 * interval };
};
