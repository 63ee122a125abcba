import type { ResultAsync } from 'neverthrow';
import type { SessionError } from '../errors.js';
import type { CallerCommand } from '../session/session-status.js';

/** The operations of a service. `each` is observed page by page. */
export type OperationName =
  | CallerCommand
  | 'create'
  | 'get'
  | 'history'
  | 'list'
  | 'each'
  | 'append'
  | 'hold'
  | 'release'
  | 'delete'
  | 'sweep';

/** A call of an operation. */
export interface ObservedOperation {
  readonly name: OperationName;
  /** The tenant of the service. A sweep covers all tenants. */
  readonly tenant: string;
  /** The session id from the caller, unchecked, if the operation has one. */
  readonly id?: unknown;
}

/**
 * Observes every operation of a service. `colloquy/telemetry` and `colloquy/logging` provide observers. An observer can
 * neither change nor delay an answer. Errors that it throws or rejects with are ignored.
 */
export interface SessionObserver {
  /**
   * Must call `call` synchronously, in the context in which the store is to run. The operation runs once, no matter how
   * many observers call it, and runs anyway if none does.
   */
  run(operation: ObservedOperation, call: () => ResultAsync<unknown, SessionError>): unknown;
}
