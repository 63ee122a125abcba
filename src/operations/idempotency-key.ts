import { KEY_LENGTH } from '../session/limits.js';

/**
 * The forms of an idempotency key in a header: bare, or as a quoted string (RFC 9651, 3.3.3), as
 * draft-ietf-httpapi-idempotency-key-header requires. Only ASCII, because clients send other
 * characters in different encodings, and the same key must be the same text for all of them.
 */
export const idempotencyKeyForm = new RegExp(
  String.raw`^(?:[!#-~](?:[ -~]{0,${KEY_LENGTH - 2}}[!-~])?|"(?:[ !#-\[\]-~]|\\["\\]){1,${KEY_LENGTH}}")$`,
);

/** The key in a header's value; undefined if the value has another form. */
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
