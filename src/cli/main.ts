#!/usr/bin/env node
import { err, ok, type Result } from 'neverthrow';
import type { Command } from './command.js';
import { type Failure, misuse, textOf } from './failure.js';
import { replay } from './replay/replay.js';
import { serve } from './serve/serve.js';

const commands: ReadonlyMap<string, Command> = new Map([
  ['serve', serve],
  ['replay', replay],
]);

const overview = `Usage: colloquy <command> [options]

${[...commands].map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

colloquy <command> --help says more.
`;

const wantsHelp = (args: readonly string[]): boolean => args.some((arg) => arg === '--help' || arg === '-h');

const run = async (args: readonly string[]): Promise<Result<void, Failure>> => {
  const [name, ...rest] = args;
  const command = commands.get(name ?? '');
  if (command === undefined) {
    if (!wantsHelp(args))
      return err(
        misuse(
          name === undefined ? 'which command? see --help' : `there is no command ${JSON.stringify(name)}; see --help`,
        ),
      );
    console.log(overview);
    return ok(undefined);
  }
  if (wantsHelp(rest)) {
    console.log(command.help);
    return ok(undefined);
  }
  return command.run(rest, process.env);
};

const fail = ({ message, exitCode }: Failure): void => {
  console.error(`colloquy: ${message}`);
  process.exitCode = exitCode;
};

run(process.argv.slice(2)).then(
  (result) => result.mapErr(fail),
  (cause: unknown) => fail({ message: textOf(cause), exitCode: 1 }),
);
