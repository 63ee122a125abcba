import { err, ok, type Result } from 'neverthrow';
import { type Environment, parseArguments } from '../command.js';
import { readRedisUrl, readVariable, readWholeNumber } from '../environment.js';
import { type Failure, misuse } from '../failure.js';

export interface ReplaySettings {
  /** Nothing for standard input. */
  readonly file: string | undefined;
  /** Nothing for a store in memory. */
  readonly redis: URL | undefined;
  /** Conversations at a time. */
  readonly concurrency: number;
  /** Whether the sessions stay in the store. */
  readonly keep: boolean;
}

const MOST_AT_A_TIME = 10_000;

const readRedis = (option: string | undefined, env: Environment): Result<URL | undefined, Failure> => {
  if (option !== undefined) return readRedisUrl('--redis', option);
  return readVariable(env, 'REDIS_URL').andThen((text) =>
    text === undefined ? ok(undefined) : readRedisUrl('REDIS_URL', text),
  );
};

/** What the arguments and the environment say about a replay. */
export const readReplaySettings = (args: readonly string[], env: Environment): Result<ReplaySettings, Failure> =>
  parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      redis: { type: 'string' },
      concurrency: { type: 'string', default: '32' },
      keep: { type: 'boolean', default: false },
    },
  }).andThen(({ values, positionals: [file, ...more] }) => {
    if (more.length > 0) return err(misuse('one file at the most; see --help'));
    return readWholeNumber('--concurrency', values.concurrency, 1, MOST_AT_A_TIME).andThen((concurrency) =>
      readRedis(values.redis, env).map((redis) => ({ file, redis, concurrency, keep: values.keep })),
    );
  });
