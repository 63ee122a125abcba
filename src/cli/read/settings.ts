import { err, ok, Result } from 'neverthrow';
import type { Environment } from '../command.js';
import { type Failure, misuse } from '../failure.js';
import { type RedisPlace, readRedisPlace, redisHelp, redisOptions } from '../redis-settings.js';

/** Whose sessions are read, and where. */
export interface SourceSettings {
  readonly redis: RedisPlace;
  readonly tenant: string;
}

/** The options that all commands have which read sessions. */
export const sourceOptions = { ...redisOptions, tenant: { type: 'string' } } as const;

/** What `--help` says of them. */
export const sourceHelp = `  --redis URL          The Redis that the sessions are in. Default: REDIS_URL. A URL with a password belongs into
                       REDIS_URL: others may see an argument. Needs the package ioredis.
${redisHelp}
  --tenant NAME        Whose sessions. Default: default.`;

interface Given {
  readonly redis?: string | undefined;
  readonly prefix?: string | undefined;
  readonly partitions?: string | undefined;
  readonly tenant?: string | undefined;
}

/** The tenant that a `SessionService` works for unless it is told another. */
const DEFAULT_TENANT = 'default';

const readTenant = (tenant: string): Result<string, Failure> =>
  tenant.length >= 1 && tenant.length <= 256 ? ok(tenant) : err(misuse('--tenant must have 1 to 256 characters'));

export const readSourceSettings = (given: Given, env: Environment): Result<SourceSettings, Failure> =>
  Result.combine([readRedisPlace(given, env), readTenant(given.tenant ?? DEFAULT_TENANT)]).andThen(([redis, tenant]) =>
    redis === undefined
      ? err(misuse('where are the sessions? give --redis URL, or set REDIS_URL; see --help'))
      : ok({ redis, tenant }),
  );
