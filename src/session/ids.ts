import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import { type Misconfigured, misconfigured } from './errors.js';
import { sha256 } from './sha256.js';

/**
 * A generator of session ids. An id has 1 to 128 unreserved characters of a URL (RFC 3986, 2.3:
 * `A-Z a-z 0-9 - . _ ~`), and must be hard to guess.
 *
 * @example
 * ```ts
 * const ids = { next: () => `call-${crypto.randomUUID()}` };
 * const calls = new SessionService({ store, ids });
 * const { id } = await calls.orThrow.create({ face: 'ada', profile: 'receptionist' });
 * console.log(id.startsWith('call-')); // true
 * ```
 */
export interface Ids {
  /** A new id: 1 to 128 characters, never given before. */
  next(): string;
}

/** 21 random characters, 126 bits. */
export const randomIds: Ids = { next: () => nanoid() };

const unusable = (cause?: unknown) =>
  err(
    misconfigured(
      'ids must return strings of 1 to 128 of the characters A-Z a-z 0-9 - . _ ~',
      cause,
    ),
  );

export const nextId = (ids: Ids): Result<string, Misconfigured> => {
  try {
    const id: unknown = ids.next();
    return typeof id === 'string' && /^[\w.~-]{1,128}$/.test(id) ? ok(id) : unusable();
  } catch (cause) {
    return unusable(cause);
  }
};

/**
 * The session id of a tenant's idempotency key, so that a repeated create finds the session: 132
 * bits of SHA-256.
 */
export const idOfIdempotencyKey = async (
  tenant: string,
  idempotencyKey: string,
): Promise<string> => {
  const digest = await sha256(JSON.stringify([tenant, idempotencyKey]));
  const bytes = digest.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').slice(0, 22);
};
