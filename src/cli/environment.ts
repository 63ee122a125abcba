import { err, ok, type Result } from 'neverthrow';
import type { Environment } from './command.js';
import { type Failure, misuse } from './failure.js';

/**
 * A variable of the environment. One that is set to nothing is refused: a secret that was not filled in must not look
 * like a wish to do without.
 */
export const readVariable = (env: Environment, name: string): Result<string | undefined, Failure> => {
  const value = env[name];
  return value === '' ? err(misuse(`${name} is set to nothing: give it a value, or unset it`)) : ok(value);
};

/** A whole number in plain digits. */
export const readWholeNumber = (name: string, text: string, least: number, most: number): Result<number, Failure> => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? ok(value)
    : err(misuse(`${name} must be a whole number from ${least} to ${most}`));
};

const REDIS_PROTOCOLS = ['redis:', 'rediss:'];

const isRedisUrl = ({ protocol, hostname, pathname }: URL): boolean =>
  REDIS_PROTOCOLS.includes(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname);

/** Where a Redis is. `name` is where the text stands; the text itself may hold a password, and is not repeated. */
export const readRedisUrl = (name: string, text: string): Result<URL, Failure> => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && isRedisUrl(url)
    ? ok(url)
    : err(misuse(`${name} must be a URL such as redis://127.0.0.1:6379 or rediss://user:password@host:6379/0`));
};
