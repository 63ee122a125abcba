import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program that an environment variable names, otherwise the first with this name on PATH. */
export function findBinary(name: string, variable: string): string | undefined {
  const named = process.env[variable];
  if (named === undefined || named === '') {
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    return folders.map((folder) => join(folder, name)).find(isExecutable);
  }
  // Throw for a wrong path: a fallback would test a program other than the named one.
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
