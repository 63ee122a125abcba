import type { ResultAsync } from 'neverthrow';
import type { OperationError } from '../session/errors.js';
import type { OperationName, OperationResult } from './operation-results.js';

/** A call of an operation. */
export interface ObservedOperation {
  /** The name of the operation, for example `create`. */
  readonly name: OperationName;
  /** The tenant of the service. `sweep`, `claimAny` and `countWaitingAny` cover all tenants. */
  readonly tenant: string;
  /** The session id from the caller, unchecked, if the operation has one. */
  readonly id?: unknown;
  /** Present for `turn`: an attempt of a turn, by a worker or by `reply`, with all of its calls. */
  readonly turn?: { readonly number: number; readonly attempt: number };
}

/**
 * Observes every operation of a service. `colloquy/telemetry` provides one. An observer can neither
 * change nor delay an answer. Errors that it throws or rejects with are ignored.
 *
 * @example
 * ```ts
 * const timing: SessionObserver = {
 *   async run({ name, tenant }, call) {
 *     const begunAt = performance.now();
 *     const result = await call();
 *     console.info(name, tenant, result.isOk(), performance.now() - begunAt);
 *   },
 * };
 * const timed = new SessionService({ store, observers: [timing] });
 * ```
 */
export interface SessionObserver {
  /**
   * Must call `call` synchronously, in the context in which the store should run. The operation
   * runs once, no matter how many observers call it, and even if none does. In the result of
   * `call`, `operation` determines the type of `value`.
   */
  run(
    operation: ObservedOperation,
    call: () => ResultAsync<OperationResult, OperationError>,
  ): unknown;
}
