import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.js';
import { canBePlanted } from './plant.js';

test('each bug of the planted runner has its place in the source exactly once', () => {
  expect(mutants.filter((mutant) => !canBePlanted(mutant))).toEqual([]);
});

test('each bug of the planted runner changes its place, and has tests that exist', () => {
  expect(mutants.filter(({ from, to }) => from === to)).toEqual([]);
  expect(mutants.flatMap(({ tests }) => tests).filter((path) => !existsSync(path))).toEqual([]);
  expect(mutants.filter(({ tests }) => tests.length === 0)).toEqual([]);
});
