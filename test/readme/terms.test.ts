import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, root, rowsOf } from './documents.js';

/** The names that the table of terms does without. */
const refused = rowsOf(documentOf('CONTRIBUTING.md'), 'Term', 'Means', 'Not').flatMap(
  ([, , names = '']) => names.split(', ').filter((name) => name !== ''),
);

const sources = ['src', 'adapters'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|lua|sql)$/.test(path))
    .map((path) => join(folder, path)),
);

/** The code without its comments. */
const codeOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(\/\/|--).*$/gm, '');

describe('the terms of the project', () => {
  test('refuse some names', () => {
    expect(refused.length).toBeGreaterThan(5);
  });

  test('are those that the code uses', () => {
    const form = new RegExp(`\\b(${refused.join('|')})\\b`, 'g');
    const found = sources.flatMap((path) =>
      [...codeOf(path).matchAll(form)].map(([name]) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
  });
});
