import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Result } from 'neverthrow';
import { type Failure, misuse, textOf } from './failure.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One thing that `colloquy` can do. It has done it when the promise resolves. */
export interface Command {
  /** What it does, in a line. */
  readonly summary: string;
  /** What `--help` says. */
  readonly help: string;
  run(args: readonly string[], env: Environment): Promise<Result<void, Failure>>;
}

/** Reads what stands behind the name of a command. Node's own messages go on to explain themselves: one sentence does. */
export const parseArguments = <const T extends ParseArgsConfig>(
  config: T,
): Result<ReturnType<typeof parseArgs<T>>, Failure> =>
  Result.fromThrowable(
    () => parseArgs(config),
    (cause) => misuse(`${textOf(cause).split('. ')[0]}; see --help`),
  )();
