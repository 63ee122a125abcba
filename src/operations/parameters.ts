import { operationIdForm } from '../input/values.js';
import { KEY_LENGTH, OPERATION_ID_LENGTH } from '../limits.js';
import type { HeaderParameter, QueryParameter } from './operation.js';
import { ref, type Schema } from './shape.js';

export const SAMPLE_ID = 'V1StGXR8_Z5jdHi6B-myT';
export const SAMPLE_TIME = '2026-01-31T18:00:00.000Z';

/** A name of 1 to `most` characters. */
export const nameSchema = (most: number, description = ''): Schema => ({
  type: 'string',
  minLength: 1,
  maxLength: most,
  description: `${description} Its length is in UTF-16 code units.`.trim(),
});

export const sessionId = {
  description: 'The id of the session.',
  schema: nameSchema(KEY_LENGTH, 'Percent-encoded where need be.'),
  example: SAMPLE_ID,
} as const;

const MAY_BE_QUOTED = 'It may stand in double quotes.';

/** For a create: any text that a header carries. */
export const idempotencyKey: HeaderParameter = {
  wireName: 'Idempotency-Key',
  description: 'Makes the request safe to repeat: the same key gives the same session for as long as it exists.',
  schema: nameSchema(KEY_LENGTH, MAY_BE_QUOTED),
  example: 'order-17',
};

/** Without the anchors. */
const bareOperationId = operationIdForm.source.slice(1, -1);

/** For a command or an append. */
export const operationId: HeaderParameter = {
  wireName: 'Idempotency-Key',
  description:
    'Names this one write on this session, so that it is safe to send again. Another write needs another name.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: OPERATION_ID_LENGTH,
    pattern: `^(?:${bareOperationId}|"${bareOperationId}")$`,
    description: MAY_BE_QUOTED,
  },
  example: 'turn-2',
};

export const historyLimit: QueryParameter = {
  kind: 'whole',
  least: 0,
  description: 'The most entries of each history, counted from the latest, in decimal digits. Without it, all.',
  example: 20,
};

/** A time that a list is bounded by. */
export const timeBound = (description: string): QueryParameter => ({
  kind: 'text',
  schema: ref('Timestamp'),
  description,
  example: SAMPLE_TIME,
});
