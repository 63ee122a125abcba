import { randomBytes } from 'node:crypto';
import { err, ok, Result } from 'neverthrow';
import { type ApiKey, readApiKeys as readKeys } from '../../http/api-keys.js';
import type { Authenticate } from '../../http/authenticate.js';
import { readSafely } from '../../input/issues.js';
import { type Failure, misuse } from '../failure.js';

/** Whom the server lets in. */
export interface ApiKeys {
  readonly authenticate: Authenticate;
  /** The key that was made because none was given. It alone may be shown. */
  readonly made?: { readonly key: string; readonly tenant: string };
}

const NAME = 'COLLOQUY_API_KEYS';
const DIGEST = 'sha256=';
const MADE_BYTES = 24;
/** The tenant that a `SessionService` works for unless it is told another. */
const MADE_TENANT = 'default';

const readEntry = (entry: string, index: number): Result<ApiKey, Failure> => {
  const colon = entry.indexOf(':');
  const tenant = entry.slice(0, colon);
  const secret = entry.slice(colon + 1);
  if (colon < 1 || secret === '') {
    return err(misuse(`${NAME}: entry ${index + 1} must be tenant:key or tenant:${DIGEST}<64 hexadecimal digits>`));
  }
  return ok(secret.startsWith(DIGEST) ? { tenant, sha256: secret.slice(DIGEST.length) } : { tenant, key: secret });
};

/** `keys[1].sha256` as a person counts who wrote a list. */
const inWords = (path: string): string =>
  path.replace(/^keys\[(\d+)\]\.?(.*)$/, (_path, index, field) => `${field || 'key'} of entry ${Number(index) + 1}`);

const authenticator = (keys: readonly ApiKey[]): Result<Authenticate, Failure> =>
  readSafely('keys', (issues) => readKeys(issues, keys)).mapErr(({ issues }) =>
    misuse(`${NAME}: ${issues.map(({ path, message }) => `${inWords(path)} ${message}`).join('; ')}`),
  );

/** The keys in `tenant:key,tenant:sha256=<hex>,...`, or a new random one where there is no such list. */
export const readApiKeys = (list: string | undefined): Result<ApiKeys, Failure> => {
  if (list === undefined) {
    const made = { key: randomBytes(MADE_BYTES).toString('hex'), tenant: MADE_TENANT };
    return authenticator([made]).map((authenticate) => ({ authenticate, made }));
  }
  const entries = list.split(',').map((entry) => entry.trim());
  return Result.combine(entries.map(readEntry))
    .andThen(authenticator)
    .map((authenticate) => ({ authenticate }));
};
