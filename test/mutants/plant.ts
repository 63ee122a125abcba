import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { Mutant } from './mutant.js';

/** A Vite plugin that plants a bug in its file as the file is loaded. Nothing on disk changes. */
export const plant = ({ file, from, to }: Mutant): Plugin => {
  const path = resolve(file);
  return {
    name: 'plant-mutant',
    enforce: 'pre',
    transform(code, id) {
      if (id.split('?', 1)[0] !== path) return undefined;
      if (code.split(from).length !== 2) throw new Error(`${file} does not contain this exactly once: ${from}`);
      return { code: code.replace(from, () => to), map: null };
    },
  };
};
