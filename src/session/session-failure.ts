import type { CallbackFailed, SessionError } from './errors.js';
import { isError } from './native-kinds.js';
import type { TypedError } from './typed-error.js';

/** The errors whose message does not say what the caller can do. */
type Advised = Exclude<SessionError['type'], 'page_too_large' | 'search_too_large'>;

/**
 * What the caller can do about an error. `callback_failed` is missing, because the exception of the
 * callback says it.
 */
const adviceOf: Readonly<Record<Advised, string>> = {
  invalid_input: 'correct the input',
  not_found: 'check the id and the tenant, or create the session with getOrCreate',
  invalid_transition: 'read the session and check its status first',
  idempotency_mismatch: 'use a new idempotencyKey for a new session',
  id_taken: 'use another id, or getOrCreate',
  operation_mismatch: 'use a new operationId for a new operation',
  conflict: 'read the session and try again',
  leased: 'try again after the end of the lease',
  lease_lost: 'stop working on the session: another worker may have it',
  cancelled: 'stop working on the session: somebody has cancelled the work',
  history_full: 'continue in a fork or a new session, or raise limits.historyEntries',
  inbox_full: 'wait for an answer, withdraw messages, or raise limits.inboxMessages',
  not_answered: 'ask again with the same id, or check that a worker runs',
  withdrawn: 'send another message',
  superseded: 'read the history: it was rewound',
  history_moved: 'read the history from that position and decide again',
  too_many_active: 'end a session, or raise limits.activeSessions',
  store_unavailable: 'try again with the same idempotencyKey or operationId',
  corrupt_record: 'restore the session from a backup, or delete it',
  misconfigured: 'correct the setup: the same call fails until then',
};

const isAdvised = (type: string): type is Advised => Object.hasOwn(adviceOf, type);

/** Registered, because a process may contain two copies of this package. */
const FAILURE = Symbol.for('colloquy.SessionFailure');

/** `instanceof` also accepts failures of other copies. Subclasses keep the usual `instanceof`. */
function isInstance(this: unknown, value: unknown): boolean {
  if (this === SessionFailure) return isError(value) && FAILURE in value;
  return Function.prototype[Symbol.hasInstance].call(this, value);
}

const messageOf = ({ type, message }: TypedError): string => {
  const text = `${type}: ${message}`;
  if (isAdvised(type)) return `${text} (${adviceOf[type]})`;
  return text;
};

/**
 * Thrown by `orThrow` operations. Its message contains the type and the message of the error, and
 * what to do.
 *
 * @example
 * ```ts
 * try {
 *   await sessions.orThrow.get('no-such-id');
 * } catch (failure) {
 *   if (!(failure instanceof SessionFailure)) throw failure;
 *   if (failure.error.type === 'not_found') console.log(failure.error.id); // no-such-id
 * }
 * ```
 */
export class SessionFailure<E extends TypedError = SessionError | CallbackFailed> extends Error {
  /** `SessionFailure`. */
  override readonly name = 'SessionFailure';
  /** The type of the error, for example `not_found`. */
  readonly type: E['type'];
  /** The error with its data, as the operation without `orThrow` returns it. */
  readonly error: E;

  /**
   * Narrows what is an `instanceof SessionFailure` to the errors of the operations, and not to any.
   */
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is SessionFailure;

  static {
    Object.defineProperty(SessionFailure.prototype, FAILURE, { value: true });
    Object.defineProperty(SessionFailure, Symbol.hasInstance, { value: isInstance });
  }

  constructor(error: E) {
    super(messageOf(error), 'cause' in error ? { cause: error.cause } : undefined);
    this.type = error.type;
    this.error = error;
  }
}
