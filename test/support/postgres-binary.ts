import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBinary, isExecutable } from './find-binary.js';

/** Debian installs the server outside of PATH, a folder a version. */
const DEBIAN = '/usr/lib/postgresql';

const debianFolders = (): readonly string[] => {
  try {
    const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(DEBIAN, version, 'bin'));
  } catch {
    return [];
  }
};

/**
 * The folder of the PostgreSQL to test against, with `postgres` and `initdb`: the one that POSTGRES
 * names (it, or a binary in it), otherwise the first on PATH, otherwise the newest of Debian's.
 */
export const findPostgres = (): string | undefined => {
  const named = process.env['POSTGRES'];
  if (
    named !== undefined &&
    named !== '' &&
    statSync(named, { throwIfNoEntry: false })?.isDirectory() === true
  ) {
    if (!isExecutable(join(named, 'postgres')))
      throw new Error(`POSTGRES is ${named}, which has no postgres in it`);
    return named;
  }
  const binary = findBinary('postgres', 'POSTGRES');
  // A link need not have all the others next to it.
  if (binary !== undefined) return dirname(realpathSync(binary));
  return debianFolders().find((folder) => isExecutable(join(folder, 'postgres')));
};
