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

const page = documentOf('docs/reference/compatibility.md');

const rows = rowsOf(page, 'Package');

const scriptOf = (name: string): string => readFileSync(join(root, '.ci', name), 'utf8');

/** Not in the lock file: installed by CI. */
const ofCi = 'better-sqlite3';

describe('the compatibility page', () => {
  test('lists packages', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.for(rows.filter(([name]) => name !== ofCi))(
    'lists the installed versions of %s',
    ([cell = '', , tested = '']) => {
      const [name = ''] = cell.split(' ');
      const locked = lockedOf(name).map(majorAndMinor).toSorted(byNumber);
      expect(tested.replace(/, [a-z].*$/, '')).toBe(locked.join(', '));
    },
  );

  test('lists the major version of better-sqlite3 that CI installs', () => {
    const [, , tested] = rows.find(([name]) => name === ofCi) ?? [];
    expect(tested).toBe(/better-sqlite3@(\d+)/.exec(scriptOf('run'))?.[1]);
  });

  test.for(['Redis', 'Valkey', 'PostgreSQL'])(
    'lists the version of %s that a script tests before a release',
    (server) => {
      const [, , , tested = ''] = rowsOf(page, 'Server').find(([name]) => name === server) ?? [];
      const setting = new RegExp(`^${server.toLowerCase()}=(\\d+\\.\\d+(\\.[1-9]\\d*)?)`, 'm');
      expect(tested).toMatch(/^\d{4}-\d\d-\d\d: [\d.]+$/);
      expect(tested.split(': ')[1]).toBe(setting.exec(scriptOf('servers'))?.[1]);
    },
  );
});
