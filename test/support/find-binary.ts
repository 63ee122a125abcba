import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program to test with: the one that an environment variable names, otherwise the first of its
 * name on PATH.
 */
export function findBinary(name: string, variable: string): string | undefined {
  const named = process.env[variable];
  if (named === undefined || named === '') {
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    return folders.map((folder) => join(folder, name)).find(isExecutable);
  }
  // A wrong path is a mistake to hear of: falling back would test against another program than the
  // one asked for.
  if (!isExecutable(named))
    throw new Error(`${variable} is ${named}, which is not an executable file`);
  return named;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
