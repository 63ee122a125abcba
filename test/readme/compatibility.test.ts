import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, root, rowsOf } from './documents.js';

interface Installed {
  readonly name?: string;
  readonly version?: string;
}

const { packages }: { readonly packages: Readonly<Record<string, Installed>> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
);

const FOLDER = 'node_modules/';

/** The versions of a package at the top of `node_modules`, where it may stand under an alias. */
const lockedOf = (wanted: string): readonly string[] =>
  Object.entries(packages).flatMap(([path, { name, version }]) => {
    const isTop = path.startsWith(FOLDER) && !path.includes(FOLDER, FOLDER.length);
    const isWanted = (name ?? path.slice(FOLDER.length)) === wanted;
    return isTop && isWanted && version !== undefined ? [version] : [];
  });

const majorAndMinor = (version: string): string => version.split('.').slice(0, 2).join('.');

const byNumber = (one: string, other: string): number => Number(one) - Number(other);

const rows = rowsOf(documentOf('docs/reference/compatibility.md'), 'Package');

/** Not in the lock file: installed by CI. */
const ofCi = 'better-sqlite3';

describe('the compatibility page', () => {
  test('lists packages', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.for(rows.filter(([name]) => name !== ofCi))(
    'lists the versions of %s that the tests install',
    ([name = '', , tested]) => {
      const locked = lockedOf(name).map(majorAndMinor).toSorted(byNumber);
      expect(tested).toBe(locked.join(', '));
    },
  );

  test('lists the major version of better-sqlite3 that CI installs', () => {
    const [, , tested] = rows.find(([name]) => name === ofCi) ?? [];
    const ci = readFileSync(join(root, '.ci', 'run'), 'utf8');
    expect(tested).toBe(/better-sqlite3@(\d+)/.exec(ci)?.[1]);
  });
});
