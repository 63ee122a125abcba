import { idempotencyKeyForm } from './idempotency-key.js';
import type { HeaderParameter } from './operation.js';

/** For `create`; for commands and appends, their operation id. */
export const idempotencyKey: HeaderParameter = {
  wireName: 'Idempotency-Key',
  json: { type: 'string', pattern: idempotencyKeyForm.source },
};

/** For commands and appends: the fencing token of a lease. */
export const fencingToken: HeaderParameter = {
  wireName: 'X-Fencing-Token',
  json: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
};
