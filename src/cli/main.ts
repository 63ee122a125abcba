#!/usr/bin/env node
import { fail, runCommandLine } from './command-line.js';

const exitWith = (exitCode: number): void => {
  // What was written before may have failed.
  if (exitCode > 0) process.exitCode = exitCode;
};

// A closed pipe, as with `| head`, is not an error; a full disk is.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code !== 'EPIPE') exitWith(fail(cause));
});
process.stderr.on('error', () => undefined);

void runCommandLine(process.argv.slice(2), process.env).then(exitWith);
