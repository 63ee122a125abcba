import { type ParseArgsConfig, parseArgs } from 'node:util';
import { Result } from 'neverthrow';
import { didYouMean, nearest } from '../input/nearest.js';
import { codeOf, type Failure, misuse, textOf } from './failure.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One thing that `colloquy` can do. It has done it when the promise resolves. */
export interface Command {
  /** What it does, in a line. */
  readonly summary: string;
  /** What `--help` says. */
  readonly help: string;
  run(args: readonly string[], env: Environment): Promise<Result<void, Failure>>;
}

const optionNames = ({ options = {}, allowNegative = false }: ParseArgsConfig): string[] =>
  Object.entries(options).flatMap(([name, { type }]) =>
    allowNegative && type === 'boolean' ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );

const explainUnknown = (config: ParseArgsConfig): string => {
  const { options = {} } = config;
  const { tokens = [] } = parseArgs({ ...config, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    return `there is no option ${token.rawName}${didYouMean(nearest(token.rawName, optionNames(config)))}`;
  }
  return 'an option is unknown';
};

/** Node's own messages go on to explain themselves: one sentence does. */
const explain = (config: ParseArgsConfig, cause: unknown): string =>
  codeOf(cause) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? explainUnknown(config) : `${textOf(cause).split('. ')[0]}`;

/** Reads what stands behind the name of a command. */
export const parseArguments = <const T extends ParseArgsConfig>(
  config: T,
): Result<ReturnType<typeof parseArgs<T>>, Failure> =>
  Result.fromThrowable(
    () => parseArgs(config),
    (cause) => misuse(`${explain(config, cause)}; see --help`),
  )();
