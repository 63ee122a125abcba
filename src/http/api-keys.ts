import { createHash, timingSafeEqual } from 'node:crypto';
import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { isFields, readName } from '../input/values.js';
import { KEY_LENGTH } from '../limits.js';

/** Whose sessions an API key opens, or nothing if it opens none. */
export type Authenticate = (key: string) => string | undefined | PromiseLike<string | undefined>;

/**
 * One API key and the tenant that it belongs to; a tenant may have several. In place of the key its SHA-256, 64
 * hexadecimal digits, may be given, so that a configuration need not hold secrets.
 */
export type ApiKey =
  | { readonly key: string; readonly sha256?: never; readonly tenant: string }
  | { readonly sha256: string; readonly key?: never; readonly tenant: string };

interface KnownKey {
  readonly digest: Uint8Array;
  readonly tenant: string;
}

/** What a header carries unchanged through every client and proxy. */
const sendable = new RegExp(`^[!-~]{1,${KEY_LENGTH}}$`);

const sha256 = (key: string): Uint8Array => createHash('sha256').update(key).digest();

const fromHex = (digest: string): Uint8Array =>
  Uint8Array.from({ length: digest.length / 2 }, (_, index) =>
    Number.parseInt(digest.slice(2 * index, 2 * index + 2), 16),
  );

/** The digest of a key that is given as it is, or as its digest; nothing if it breaks a rule. */
const readDigest = (issues: IssueList, path: string, key: unknown, digest: unknown): Uint8Array | undefined => {
  issues.check((key === undefined) !== (digest === undefined), path, 'must have either key or sha256');
  if (digest !== undefined) {
    const fits = typeof digest === 'string' && /^[\da-f]{64}$/i.test(digest);
    issues.check(fits, `${path}.sha256`, 'must be 64 hexadecimal digits');
    return fits ? fromHex(digest) : undefined;
  }
  const fits = typeof key === 'string' && sendable.test(key);
  issues.check(fits, `${path}.key`, `must be 1 to ${KEY_LENGTH} visible ASCII characters`);
  return fits ? sha256(key) : undefined;
};

const readKey = (issues: IssueList, path: string, value: unknown, seen: Set<string>): KnownKey[] => {
  const { key, sha256: given, tenant } = isFields(value) ? value : {};
  const owner = readName(issues, `${path}.tenant`, tenant, KEY_LENGTH);
  const digest = readDigest(issues, path, key, given);
  if (digest === undefined) return [];
  const name = digest.join();
  issues.check(!seen.has(name), `${path}.${given === undefined ? 'key' : 'sha256'}`, 'must not be in the list twice');
  seen.add(name);
  return [{ digest, tenant: owner }];
};

/**
 * An authenticator for a fixed list of keys. It keeps their digests and never the keys, and compares with every one
 * of them in constant time, so that neither memory nor timing gives a key away. Nothing that it says holds a key.
 */
export const staticApiKeys = (keys: readonly ApiKey[]): Result<Authenticate, InvalidInput> =>
  readSafely('keys', (issues) => {
    const given: readonly unknown[] = Array.isArray(keys) ? keys : [];
    issues.check(given.length > 0, 'keys', 'must be an array of at least one key');
    const seen = new Set<string>();
    const known = Array.from(given, (key, index) => readKey(issues, `keys[${index}]`, key, seen)).flat();
    return (presented: string): string | undefined => {
      if (!sendable.test(presented)) return undefined;
      const digest = sha256(presented);
      let tenant: string | undefined;
      for (const candidate of known) {
        if (timingSafeEqual(candidate.digest, digest)) tenant = candidate.tenant;
      }
      return tenant;
    };
  });
