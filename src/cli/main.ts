#!/usr/bin/env node
import { err, ok, type Result } from 'neverthrow';
import { didYouMean, nearest } from '../input/nearest.js';
import type { Command } from './command.js';
import { codeOf, type Failure, failure, misuse, textOf } from './failure.js';
import { inspect } from './inspect/inspect.js';
import { list } from './list/list.js';
import { printable } from './printable.js';
import { replay } from './replay/replay.js';
import { serve } from './serve/serve.js';
import { version } from './version.js';

const commands: ReadonlyMap<string, Command> = new Map([
  ['serve', serve],
  ['list', list],
  ['inspect', inspect],
  ['replay', replay],
]);

const overview = `Usage: colloquy <command> [options]

${[...commands].map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

colloquy <command> --help says more, colloquy --version which one this is.
`;

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

const explainUnknown = (name: string | undefined): string =>
  name === undefined
    ? 'which command? see --help'
    : `there is no command ${JSON.stringify(name)}${didYouMean(nearest(name, [...commands.keys()]))}; see --help`;

const run = async (args: readonly string[]): Promise<Result<void, Failure>> => {
  const [name, ...rest] = args;
  const command = commands.get(name ?? '');
  if (command !== undefined && !rest.some(isHelp)) return command.run(rest, process.env);
  if (command !== undefined) console.log(command.help);
  else if (isHelp(name) || name === 'help') console.log(overview);
  else if (name === '--version') console.log(version());
  else return err(misuse(explainUnknown(name)));
  return ok(undefined);
};

const fail = ({ message, exitCode }: Failure): void => {
  // It may hold what a stranger has stored or a server has answered.
  console.error(`colloquy: ${printable(message)}`);
  process.exitCode = exitCode;
};

// That nobody reads any more, as behind `| head`, is no failure; a full disk is.
process.stdout.on('error', (cause) => {
  if (codeOf(cause) !== 'EPIPE') fail(failure(`standard output cannot be written: ${textOf(cause)}`));
});
process.stderr.on('error', () => undefined);

run(process.argv.slice(2)).then(
  (result) => result.mapErr(fail),
  (cause: unknown) => fail(failure(textOf(cause))),
);
