import { err, ok, Result } from 'neverthrow';
import type { Environment } from '../command.js';
import { readSetting, readVariable } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { type RedisPlace, readRedisPlace, redisHelp, redisOptions } from '../redis-settings.js';

/** Where sessions are read: a tenant's in a Redis, or those of an API key from a running service. */
export type SourceSettings =
  | { readonly redis: RedisPlace; readonly tenant: string }
  | { readonly url: string; readonly apiKey: string };

/** The options that all commands have which read sessions. */
export const sourceOptions = { ...redisOptions, tenant: { type: 'string' }, url: { type: 'string' } } as const;

/** What `--help` says of them. */
export const sourceHelp = `  --redis URL          The Redis that the sessions are in. Default: REDIS_URL. A URL with a password belongs into
                       REDIS_URL: others may see an argument. Needs the package ioredis.
${redisHelp}
  --tenant NAME        Whose sessions in Redis. Default: default.
  --url URL            A running service in place of a Redis, such as http://127.0.0.1:3000, where it is mounted.
                       Default: COLLOQUY_URL.

Environment:
  COLLOQUY_API_KEY     The API key for the service; it decides the tenant. There is no option for it, for the same
                       reason.
  REDIS_URL, COLLOQUY_PREFIX, COLLOQUY_PARTITIONS and COLLOQUY_URL stand for the options; an option wins.`;

interface Given {
  readonly redis?: string | undefined;
  readonly prefix?: string | undefined;
  readonly partitions?: string | undefined;
  readonly tenant?: string | undefined;
  readonly url?: string | undefined;
}

/** The tenant that a `SessionService` works for unless it is told another. */
const DEFAULT_TENANT = 'default';

const readTenant = (tenant: string): Result<string, Failure> =>
  tenant.length >= 1 && tenant.length <= 256 ? ok(tenant) : err(misuse('--tenant must have 1 to 256 characters'));

const readService = (url: string, given: Given, env: Environment): Result<SourceSettings, Failure> => {
  if (given.tenant !== undefined) return err(misuse('--tenant is for a Redis: of a service the API key decides it'));
  return readVariable(env, 'COLLOQUY_API_KEY').andThen((apiKey) =>
    apiKey === undefined
      ? err(misuse('the service asks for an API key: set COLLOQUY_API_KEY to one'))
      : ok({ url, apiKey }),
  );
};

/** The one of the two that was named; an option more than a variable. */
const choose = (given: Given, env: Environment): Result<{ readonly url: string | undefined }, Failure> => {
  if (given.redis !== undefined && given.url !== undefined) return err(misuse('either --redis or --url, not both'));
  if (given.redis !== undefined) return ok({ url: undefined });
  return readSetting(['--url', given.url], env, 'COLLOQUY_URL').andThen((url) =>
    url?.name === 'COLLOQUY_URL' && env['REDIS_URL'] !== undefined
      ? err(misuse('REDIS_URL and COLLOQUY_URL are both set: say which with --redis or --url'))
      : ok({ url: url?.text }),
  );
};

export const readSourceSettings = (given: Given, env: Environment): Result<SourceSettings, Failure> =>
  choose(given, env).andThen(({ url }): Result<SourceSettings, Failure> => {
    if (url !== undefined) return readService(url, given, env);
    return Result.combine([readRedisPlace(given, env), readTenant(given.tenant ?? DEFAULT_TENANT)]).andThen(
      ([redis, tenant]) =>
        redis === undefined
          ? err(misuse('where are the sessions? give --redis URL or --url URL; see --help'))
          : ok({ redis, tenant }),
    );
  });
