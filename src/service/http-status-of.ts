import type { CallbackFailed, SessionError } from '../session/errors.js';

/** The HTTP status of each error of an operation. */
export const httpStatuses = Object.freeze({
  invalid_input: 400,
  not_found: 404,
  invalid_transition: 409,
  leased: 409,
  lease_lost: 409,
  conflict: 409,
  history_full: 409,
  history_moved: 412,
  too_many_active: 429,
  operation_mismatch: 422,
  idempotency_mismatch: 422,
  page_too_large: 422,
  too_many_labelled: 422,
  corrupt_record: 500,
  misconfigured: 500,
  store_unavailable: 503,
} as const) satisfies Readonly<Record<SessionError['type'], number>>;

/** An HTTP status with which the handler answers an error of an operation. */
export type ErrorStatus = (typeof httpStatuses)[SessionError['type']];

/**
 * The HTTP status with which the handler answers an error of an operation, for routes of your own; 500 for the
 * `callback_failed` of `withLease`.
 */
export const httpStatusOf = ({ type }: Pick<SessionError | CallbackFailed, 'type'>): ErrorStatus => {
  if (type === 'callback_failed') return 500;
  // A store that breaks its contract may return anything.
  return Object.hasOwn(httpStatuses, type) ? httpStatuses[type] : httpStatuses.store_unavailable;
};
