import { KEY_LENGTH } from '../session/limits.js';
import { idempotencyKeyForm } from './idempotency-key.js';
import type { HeaderParameter, QueryParameter } from './operation.js';
import { ref, type Schema } from './shape.js';

/** A name of 1 to `maxLength` characters. */
export const nameSchema = (maxLength: number): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength,
});

export const sessionId: Schema = nameSchema(KEY_LENGTH);

/** For `create`; for commands and appends, their operation id. */
export const idempotencyKey: HeaderParameter = {
  wireName: 'Idempotency-Key',
  schema: { type: 'string', pattern: idempotencyKeyForm.source },
};

/** For commands and appends: the fencing token of a lease. */
export const fencingToken: HeaderParameter = {
  wireName: 'X-Fencing-Token',
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
};

export const historyLimit: QueryParameter = { kind: 'whole', least: 0 };

/** A time that limits a list. */
export const timeBound: QueryParameter = { kind: 'text', schema: ref('Timestamp') };
