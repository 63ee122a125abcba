import type { CallbackFailed, RunTimeout, SessionError } from '../session/errors.js';

export const httpStatuses = Object.freeze({
  invalid_input: 400,
  not_found: 404,
  invalid_transition: 409,
  leased: 409,
  lease_lost: 409,
  cancelled: 409,
  conflict: 409,
  history_full: 409,
  inbox_full: 429,
  not_answered: 504,
  withdrawn: 409,
  superseded: 409,
  history_moved: 412,
  too_many_active: 429,
  operation_mismatch: 422,
  idempotency_mismatch: 422,
  id_taken: 409,
  page_too_large: 422,
  search_too_large: 422,
  corrupt_record: 500,
  misconfigured: 500,
  store_unavailable: 503,
} as const) satisfies Readonly<Record<SessionError['type'], number>>;

const statuses = Object.freeze({
  ...httpStatuses,
  callback_failed: 500,
  run_timeout: 500,
} as const);

/**
 * The HTTP statuses with which the handler answers errors of these types. Default: of any
 * operation.
 */
export type ErrorStatus<T extends keyof typeof statuses = SessionError['type']> =
  (typeof statuses)[T];

/**
 * The HTTP status with which the handler answers an error of an operation, for routes of your own;
 * 500 for the `callback_failed` of `withLease`. Its type contains only the statuses of the errors
 * that `error` may be.
 *
 * @example
 * ```ts
 * const found = await sessions.get('no-such-id');
 * const status = found.isOk() ? 200 : httpStatusOf(found.error);
 * console.log(status); // 404
 * ```
 */
export function httpStatusOf<T extends keyof typeof statuses>(error: {
  readonly type: T;
}): ErrorStatus<T>;
export function httpStatusOf({
  type,
}: Pick<SessionError | CallbackFailed | RunTimeout, 'type'>): ErrorStatus {
  // A store that breaks its contract may return anything.
  if (!Object.hasOwn(statuses, type)) return statuses.store_unavailable;
  return statuses[type];
}
