import { err, ok, Result } from 'neverthrow';
import type { Environment } from './command.js';
import { readSetting, readWholeNumber, type Setting } from './environment.js';
import { type Failure, misuse } from './failure.js';

/** Where in which Redis the sessions are. */
export interface RedisPlace {
  readonly url: URL;
  readonly prefix: string;
  readonly partitions: number;
}

/** The options that all commands on a Redis have. */
export const redisOptions = {
  redis: { type: 'string' },
  prefix: { type: 'string' },
  partitions: { type: 'string' },
} as const;

interface Given {
  readonly redis?: string | undefined;
  readonly prefix?: string | undefined;
  readonly partitions?: string | undefined;
}

/** What `--help` says of them, but for `--redis`. */
export const redisHelp = `  --prefix TEXT        What the keys in Redis begin with. Default: COLLOQUY_PREFIX, or colloquy.
  --partitions N       Over how many hash slots its tenants are spread. Default: COLLOQUY_PARTITIONS, or 1.`;

const DEFAULT_PREFIX = { name: '', text: 'colloquy' };
const DEFAULT_PARTITIONS = { name: '', text: '1' };
const MOST_PARTITIONS = 16_384;
const REDIS_PROTOCOLS = ['redis:', 'rediss:'];

const isRedisUrl = ({ protocol, hostname, pathname }: URL): boolean =>
  REDIS_PROTOCOLS.includes(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname);

/** Where a Redis is. The text may hold a password, and is not repeated. */
const readUrl = ({ name, text }: Setting): Result<URL, Failure> => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && isRedisUrl(url)
    ? ok(url)
    : err(misuse(`${name} must be a URL such as redis://127.0.0.1:6379 or rediss://user:password@host:6379/0`));
};

const readPrefix = ({ name, text }: Setting): Result<string, Failure> =>
  /^[^{}*]{1,128}$/.test(text) ? ok(text) : err(misuse(`${name} must be 1 to 128 characters without {, } and *`));

/** The Redis that the arguments or the environment name; nothing where neither does. */
export const readRedisPlace = (given: Given, env: Environment): Result<RedisPlace | undefined, Failure> =>
  Result.combine([
    readSetting(['--redis', given.redis], env, 'REDIS_URL').andThen((setting) =>
      setting === undefined ? ok(undefined) : readUrl(setting),
    ),
    readSetting(['--prefix', given.prefix], env, 'COLLOQUY_PREFIX').andThen((setting = DEFAULT_PREFIX) =>
      readPrefix(setting),
    ),
    readSetting(['--partitions', given.partitions], env, 'COLLOQUY_PARTITIONS').andThen(
      ({ name, text } = DEFAULT_PARTITIONS) => readWholeNumber(name, text, 1, MOST_PARTITIONS),
    ),
  ]).map(([url, prefix, partitions]) => (url === undefined ? undefined : { url, prefix, partitions }));
