import { API_KEY_RULE, isApiKey } from '../endpoints/headers.js';
import type { IssueList } from '../schema/issue-list.js';
import { readArgument } from '../schema/options-of.js';
import { schema } from '../schema/schema.js';
import { name } from '../schema/values.js';
import { isFields } from '../session/fields.js';
import { KEY_LENGTH } from '../session/limits.js';
import { nodeCrypto, sha256 } from '../session/sha256.js';

/**
 * An API key and its tenant; a tenant may have several. `sha256`, the SHA-256 of the key as 64
 * hexadecimal digits, may replace the key, so that a configuration contains no secrets.
 */
export type ApiKey =
  | {
      /** The key: 1–256 visible ASCII characters. */
      readonly key: string;
      readonly sha256?: undefined;
      /** The tenant whose sessions the key can access: 1–256 characters. */
      readonly tenant: string;
    }
  | {
      /** The SHA-256 of the key: 64 hexadecimal digits. */
      readonly sha256: string;
      readonly key?: undefined;
      /** The tenant whose sessions the key can access: 1–256 characters. */
      readonly tenant: string;
    };

interface KnownKey {
  /** Hexadecimal digits. */
  readonly digest: string | Promise<string>;
  readonly tenant: string;
}

/** The digest of a key, computed or given as `sha256`; undefined if invalid. */
const parseDigest = (
  issues: IssueList,
  path: string,
  { key, given }: { readonly key: unknown; readonly given: unknown },
): string | Promise<string> | undefined => {
  issues.check(
    (key === undefined) !== (given === undefined),
    path,
    'must have either key or sha256',
  );
  if (given !== undefined) {
    const fits = typeof given === 'string' && /^[\da-f]{64}$/i.test(given);
    issues.check(fits, `${path}.sha256`, 'must be 64 hexadecimal digits');
    return fits ? given.toLowerCase() : undefined;
  }
  const fits = isApiKey(key);
  issues.check(fits, `${path}.key`, API_KEY_RULE);
  return fits ? sha256(key) : undefined;
};

const parseKey = (
  issues: IssueList,
  path: string,
  value: unknown,
  seen: Set<unknown>,
): KnownKey[] => {
  const { key, sha256: given, tenant, ...others } = isFields(value) ? value : {};
  // The message does not name the field: its name may be an API key by mistake.
  issues.check(
    Object.keys(others).length === 0,
    path,
    'must have no fields but key or sha256, and tenant',
  );
  const tenantName = name(KEY_LENGTH).read(issues, `${path}.tenant`, tenant);
  const digest = parseDigest(issues, path, { key, given });
  if (digest === undefined) return [];
  // Without node:crypto, a key that is listed twice, once as its digest, is not detected.
  const mark = typeof digest === 'string' ? digest : key;
  issues.check(
    !seen.has(mark),
    `${path}.${given === undefined ? 'key' : 'sha256'}`,
    'must not be in the list twice',
  );
  seen.add(mark);
  return [{ digest, tenant: tenantName }];
};

const areEqualBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 256)), 0) === 0;

type StaticAuthenticate = (key: string) => string | undefined | Promise<string | undefined>;

// A separate function, so that the closure of the authenticator does not keep the keys in memory.
const parseKeys = (issues: IssueList, keys: unknown): readonly KnownKey[] => {
  const given: readonly unknown[] = Array.isArray(keys) ? keys : [];
  issues.check(given.length > 0, 'keys', 'must be an array of at least one key');
  const seen = new Set<unknown>();
  return Array.from(given, (key, index) => parseKey(issues, `keys[${index}]`, key, seen)).flat();
};

const apiKeys = schema<StaticAuthenticate>((issues, _path, keys) => {
  const { timingSafeEqual: areEqual = areEqualBytes } = nodeCrypto() ?? {};
  const known = parseKeys(issues, keys);
  const encoder = new TextEncoder();
  const bytesOf = (digest: string) => encoder.encode(digest);
  const atOnce = known.flatMap(({ digest, tenant }) =>
    typeof digest === 'string' ? [{ digest: bytesOf(digest), tenant }] : [],
  );
  const later = Promise.all(
    known.map(async ({ digest, tenant }) => ({ digest: bytesOf(await digest), tenant })),
  );
  const tenantOf = (presented: string, candidates: typeof atOnce): string | undefined => {
    const digest = bytesOf(presented);
    let tenant: string | undefined;
    for (const candidate of candidates)
      if (areEqual(candidate.digest, digest)) tenant = candidate.tenant;
    return tenant;
  };
  return (presented) => {
    if (!isApiKey(presented)) return undefined;
    const digest = sha256(presented);
    if (typeof digest === 'string') return tenantOf(digest, atOnce);
    return (async () => tenantOf(await digest, await later))();
  };
});

/**
 * Creates an authenticator for a fixed list of keys. It stores only SHA-256 digests, and compares
 * with each of them in constant time, so neither memory nor timing reveals a key. It answers
 * synchronously where the runtime has node:crypto, and with a promise elsewhere, for example in
 * Workers without `nodejs_compat`. Throws a `TypeError` that names every invalid entry and contains
 * no key.
 *
 * @example
 * ```ts
 * const sha256 = 'd9ef8196557c9da69806fb5d777f4e5ad6d5c18593039e0ff62f9fdf003b0198';
 * const authenticate = staticApiKeys([
 *   { key: 'key-1', tenant: 'acme' },
 *   { sha256, tenant: 'globex' }, // of key-3
 * ]);
 * console.log(await authenticate('key-1'), await authenticate('key-3')); // acme globex
 * ```
 */
export const staticApiKeys = (keys: readonly ApiKey[]): StaticAuthenticate =>
  readArgument('staticApiKeys', 'keys', apiKeys, keys);
