import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.js';
import { canBePlanted } from './plant.js';

test('each planted bug has exactly one place in the source', () => {
  expect(mutants.filter((mutant) => !canBePlanted(mutant))).toEqual([]);
});

test('each planted bug changes its place, and lists existing tests', () => {
  expect(mutants.filter(({ from, to }) => from === to)).toEqual([]);
  expect(mutants.flatMap(({ tests }) => tests).filter((path) => !existsSync(path))).toEqual([]);
  expect(mutants.filter(({ tests }) => tests.length === 0)).toEqual([]);
});
