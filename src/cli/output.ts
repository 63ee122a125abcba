import type { Environment } from './command.js';

/** Writes a line to standard output, and says whether it arrived: there may be nobody who reads any more. */
export const print = (line: string): Promise<boolean> =>
  new Promise((resolve) => {
    process.stdout.write(`${line}\n`, (error) => resolve(error === undefined || error === null));
  });

/** The same for several; what does not arrive ends it. */
export const printAll = async (lines: Iterable<string>): Promise<boolean> => {
  for (const line of lines) if (!(await print(line))) return false;
  return true;
};

/** How many cells a line may have: those of the terminal, or `COLUMNS`; no bound for a file or a pipe. */
export const roomOf = (env: Environment): number | undefined => {
  const columns = process.stdout.columns ?? Number(env['COLUMNS'] ?? Number.NaN);
  return Number.isSafeInteger(columns) && columns > 0 ? columns : undefined;
};
