import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBinary, isExecutable } from './find-binary.js';

/** Debian installs each version in its own folder outside PATH. */
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
 * The folder with `postgres` and `initdb`: POSTGRES (the folder, or a binary in it), otherwise the
 * first on PATH, otherwise Debian's newest.
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
  // The other programs may be missing next to a link.
  if (binary !== undefined) return dirname(realpathSync(binary));
  return debianFolders().find((folder) => isExecutable(join(folder, 'postgres')));
};
