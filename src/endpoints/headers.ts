import { KEY_LENGTH } from '../session/limits.js';
import type { HeaderParameter } from './endpoint.js';

/**
 * The forms of an idempotency key in a header: bare, or as a quoted string (RFC 9651, 3.3.3), as
 * draft-ietf-httpapi-idempotency-key-header requires. Only ASCII, because clients send other
 * characters in different encodings, and the same key must be the same text for all of them.
 */
export const idempotencyKeyForm = new RegExp(
  String.raw`^(?:[!#-~](?:[ -~]{0,${KEY_LENGTH - 2}}[!-~])?|"(?:[ !#-\[\]-~]|\\["\\]){1,${KEY_LENGTH}}")$`,
);

export const idempotencyKeyIn = (value: string): string | undefined => {
  if (!idempotencyKeyForm.test(value)) return undefined;
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
};

/** A key as a header's value; undefined if a header cannot contain the key. */
export const idempotencyKeyValue = (key: string): string | undefined => {
  if (!/^[ -~]+$/.test(key)) return undefined;
  const isBare = /^[^" ](?:.*[^ ])?$/.test(key);
  return isBare ? key : `"${key.replace(/["\\]/g, String.raw`\$&`)}"`;
};

/** For `create`; for commands and appends, their operation id. */
export const idempotencyKey: HeaderParameter = {
  wireName: 'Idempotency-Key',
  json: { type: 'string', pattern: idempotencyKeyForm.source },
};

export const fencingToken: HeaderParameter = {
  wireName: 'X-Fencing-Token',
  json: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
};

export const API_KEY_RULE = 'must be 1 to 256 visible ASCII characters';

/** Whether every client and proxy sends an API key unchanged in a header. */
export const isApiKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[!-~]{1,256}$/.test(value);

export const REPLAYED_HEADER = 'Idempotent-Replayed';
