import { readFileSync } from 'node:fs';
import { didYouMean, nearest } from '../schema/unknown-fields.js';
import { CliError, messageOf, UsageError } from './cli-error.js';
import { inspect } from './inspect.js';
import { list } from './list.js';
import { Options } from './options.js';
import { print, printError, printText } from './print.js';
import { serve } from './serve.js';
import { laidOut } from './table-lines.js';

const manifest = new URL('../../package.json', import.meta.url);
const commands = new Map(Object.entries({ serve, list, inspect }));

const overview = `Usage: colloquy <command> [options]

${Array.from(commands, ([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

Run colloquy <command> --help for its options, and colloquy --version for the version.
`;

const run = async (
  [name, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<unknown> => {
  const command = commands.get(name ?? '');
  if (command !== undefined && args.some((arg) => /^(--help|-h)$/.test(arg)))
    return printText(laidOut(command.help));
  if (command !== undefined) return command.run(new Options(command, args, env));
  if (name === '--help' || name === '-h') return printText(overview);
  if (name === '--version') {
    const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
    return print(version);
  }
  if (name === undefined) throw new UsageError('the command is missing');
  throw new UsageError(
    `command ${JSON.stringify(name)} is unknown${didYouMean(nearest(name, [...commands.keys()]))}`,
  );
};

/** Reports why a command failed. Returns the exit code. */
export const fail = (cause: unknown): number => {
  const exitCode = cause instanceof CliError ? cause.exitCode : 1;
  void printError(`colloquy: ${messageOf(cause)}${exitCode === 2 ? '; see --help' : ''}`);
  return exitCode;
};

/** Runs a command to its end and returns the exit code. */
export const runCommandLine = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  run(args, env).then(() => 0, fail);
