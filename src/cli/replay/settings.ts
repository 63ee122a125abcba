import { err, type Result } from 'neverthrow';
import { type Environment, parseArguments } from '../command.js';
import { readWholeNumber } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { type RedisPlace, readRedisPlace, redisOptions } from '../redis-settings.js';

export interface ReplaySettings {
  /** Nothing for standard input. */
  readonly file: string | undefined;
  /** Nothing for a store in memory. */
  readonly redis: RedisPlace | undefined;
  /** Conversations at a time. */
  readonly concurrency: number;
  /** Whether the sessions stay in the store. */
  readonly keep: boolean;
}

const MOST_AT_A_TIME = 10_000;

/** What the arguments and the environment say about a replay. */
export const readReplaySettings = (args: readonly string[], env: Environment): Result<ReplaySettings, Failure> =>
  parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...redisOptions,
      concurrency: { type: 'string', default: '32' },
      keep: { type: 'boolean', default: false },
    },
  }).andThen(({ values, positionals: [file, ...more] }) => {
    if (more.length > 0) return err(misuse('one file at the most; see --help'));
    return readWholeNumber('--concurrency', values.concurrency, 1, MOST_AT_A_TIME).andThen((concurrency) =>
      readRedisPlace(values, env).map((redis) => ({ file, redis, concurrency, keep: values.keep })),
    );
  });
