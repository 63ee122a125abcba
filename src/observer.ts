import type { ResultAsync } from 'neverthrow';
import type { SessionError } from './errors.js';
import type { CallerCommand } from './status.js';

/** The operations of a service. `each` is a page of `each`. */
export type OperationName =
  | CallerCommand
  | 'create'
  | 'get'
  | 'history'
  | 'list'
  | 'each'
  | 'append'
  | 'delete'
  | 'sweep';

/** One operation that a service is asked for. */
export interface ObservedOperation {
  readonly name: OperationName;
  /** The tenant of the service; a sweep sees to the sessions of all tenants. */
  readonly tenant: string;
  /** What the caller gave as the session's id, if the operation is about one: a value of any type. */
  readonly id?: unknown;
}

/**
 * Sees every operation of a service: `colloquy/telemetry` and `colloquy/logging` make some. It can neither change nor
 * delay an answer, and what it throws, or rejects with, is passed over.
 */
export interface SessionObserver {
  /**
   * Is to call `call` at once, in the context in which the store is to work. The operation is carried out once, however
   * many observers there are and however often they call; where none does, it is carried out afterwards.
   */
  run(operation: ObservedOperation, call: () => ResultAsync<unknown, SessionError>): unknown;
}
