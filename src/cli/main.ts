#!/usr/bin/env node
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

const run = async ([name, ...args]: readonly string[]): Promise<unknown> => {
  const command = commands.get(name ?? '');
  if (command !== undefined && args.some((arg) => /^(--help|-h)$/.test(arg)))
    return printText(laidOut(command.help));
  if (command !== undefined) return command.run(new Options(command, args, process.env));
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

const fail = (cause: unknown): void => {
  process.exitCode = cause instanceof CliError ? cause.exitCode : 1;
  void printError(`colloquy: ${messageOf(cause)}${process.exitCode === 2 ? '; see --help' : ''}`);
};

// A closed pipe, as with `| head`, is not an error; a full disk is.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => cause.code !== 'EPIPE' && fail(cause));
process.stderr.on('error', () => undefined);

run(process.argv.slice(2)).catch(fail);
