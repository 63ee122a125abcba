import * as crypto from 'node:crypto';
import { readOrThrow } from '../input/read-options.js';
import type { IssueList } from '../input/read-safely.js';
import { isFields, readName } from '../input/values.js';
import { KEY_LENGTH } from '../session/session-limits.js';

/**
 * An API key and its tenant; a tenant may have several. `sha256`, the SHA-256 of the key as 64 hexadecimal digits, may
 * replace the key, so that a configuration contains no secrets.
 */
export type ApiKey =
  | {
      /** The key: 1 to 256 visible ASCII characters. */
      readonly key: string;
      readonly sha256?: never;
      /** The tenant whose sessions the key gives access to: 1 to 256 characters. */
      readonly tenant: string;
    }
  | {
      /** The SHA-256 of the key: 64 hexadecimal digits. */
      readonly sha256: string;
      readonly key?: never;
      /** The tenant whose sessions the key gives access to: 1 to 256 characters. */
      readonly tenant: string;
    };

interface KnownKey {
  /** The ASCII bytes of the hexadecimal digits. */
  readonly digest: Uint8Array;
  readonly tenant: string;
}

/** Length of a SHA-256 in hexadecimal digits. */
const DIGEST_BYTES = 64;

/** Characters that every client and proxy sends unchanged in a header. */
const sendable = new RegExp(`^[!-~]{1,${KEY_LENGTH}}$`);

/** Returns hexadecimal digits. Bytes would need a buffer of their own, which costs more than the digest. */
const sha256: (key: string) => string =
  // `crypto.hash` takes half the time, but needs Node 20.12, and some other runtimes do not have it.
  typeof crypto.hash === 'function'
    ? (key) => crypto.hash('sha256', key)
    : (key) => crypto.createHash('sha256').update(key).digest('hex');

/** The digest of a key, computed or given as `sha256`; undefined if invalid. */
const readDigest = (issues: IssueList, path: string, key: unknown, digest: unknown): string | undefined => {
  issues.check((key === undefined) !== (digest === undefined), path, 'must have either key or sha256');
  if (digest !== undefined) {
    const fits = typeof digest === 'string' && /^[\da-f]{64}$/i.test(digest);
    issues.check(fits, `${path}.sha256`, 'must be 64 hexadecimal digits');
    return fits ? digest.toLowerCase() : undefined;
  }
  const fits = typeof key === 'string' && sendable.test(key);
  issues.check(fits, `${path}.key`, `must be 1 to ${KEY_LENGTH} visible ASCII characters`);
  return fits ? sha256(key) : undefined;
};

const readKey = (issues: IssueList, path: string, value: unknown, seen: Set<string>): KnownKey[] => {
  const { key, sha256: given, tenant, ...others } = isFields(value) ? value : {};
  // The message does not name the field: its name may be an API key by mistake.
  issues.check(Object.keys(others).length === 0, path, 'must have no fields but key or sha256, and tenant');
  const owner = readName(issues, `${path}.tenant`, tenant, KEY_LENGTH);
  const digest = readDigest(issues, path, key, given);
  if (digest === undefined) return [];
  issues.check(!seen.has(digest), `${path}.${given === undefined ? 'key' : 'sha256'}`, 'must not be in the list twice');
  seen.add(digest);
  return [{ digest: new TextEncoder().encode(digest), tenant: owner }];
};

const readApiKeys = (issues: IssueList, keys: readonly ApiKey[]): ((key: string) => string | undefined) => {
  const given: readonly unknown[] = Array.isArray(keys) ? keys : [];
  issues.check(given.length > 0, 'keys', 'must be an array of at least one key');
  const seen = new Set<string>();
  const known = Array.from(given, (key, index) => readKey(issues, `keys[${index}]`, key, seen)).flat();
  const encoder = new TextEncoder();
  const digest = new Uint8Array(DIGEST_BYTES);
  return (presented) => {
    if (typeof presented !== 'string' || !sendable.test(presented)) return undefined;
    encoder.encodeInto(sha256(presented), digest);
    let tenant: string | undefined;
    for (const candidate of known) {
      if (crypto.timingSafeEqual(candidate.digest, digest)) tenant = candidate.tenant;
    }
    return tenant;
  };
};

/**
 * Creates an authenticator for a fixed list of keys. It stores only SHA-256 digests, and compares with each of them in
 * constant time, so neither memory nor timing reveals a key. Throws a `TypeError` that names every invalid entry and
 * contains no key.
 */
export const staticApiKeys = (keys: readonly ApiKey[]): ((key: string) => string | undefined) =>
  readOrThrow('staticApiKeys', 'keys', (issues) => readApiKeys(issues, keys));
