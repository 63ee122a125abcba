import type { HandlerRequest } from './message.js';

/** As the drafts of the IETF have it, draft-ietf-httpapi-idempotency-key-header: a string in quotes, RFC 9651, 3.3.3. */
const quoted = /^"([^"\\]*)"$/;

/** The name that a client gives to one write: the text between the quotes where it has some. */
export const idempotencyKeyOf = (request: HandlerRequest): string | undefined => {
  const value = request.header('idempotency-key');
  return value === undefined ? undefined : (quoted.exec(value)?.[1] ?? value);
};
