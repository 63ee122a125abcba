import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { Mutant } from './mutant.js';

/** Whether a text contains the place of a bug exactly once. */
const hasPlace = (code: string, { from }: Mutant): boolean => code.split(from).length === 2;

/** Whether the bug can be planted: its file may have changed since it was written down. */
export const canBePlanted = (mutant: Mutant): boolean =>
  existsSync(mutant.file) && hasPlace(readFileSync(mutant.file, 'utf8'), mutant);

/**
 * A Vite plugin that plants a bug in its file in the place of reading its file. Nothing on disk
 * changes.
 */
export const plant = (mutant: Mutant): Plugin => {
  const { file, from, to } = mutant;
  const path = resolve(file);
  return {
    name: 'plant-mutant',
    enforce: 'pre',
    load(id) {
      if (id.split('?', 1)[0] !== path) return undefined;
      const code = readFileSync(path, 'utf8');
      if (!hasPlace(code, mutant))
        throw new Error(`${file} does not contain this exactly once: ${from}`);
      return code.replace(from, () => to);
    },
  };
};
