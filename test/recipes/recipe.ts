import { isFields } from '../../src/session/fields.js';
import { documentOf } from '../readme/documents.js';
import type { SampleFolder } from '../readme/run-sample.js';
import { blocksIn, type Sample } from '../readme/samples.js';

const recipes = blocksIn(documentOf('docs/reference/orms.md'), 'ts');

/** The recipe of the page that contains all of these words. */
export const recipeWith = (words: readonly string[]): Sample => {
  const [found, ...more] = recipes.filter(({ code }) => words.every((word) => code.includes(word)));
  if (found === undefined || more.length > 0)
    throw new Error(`not exactly one recipe contains ${words.join(', ')}`);
  return found;
};

/** Runs a sample, and returns what it exports. */
export const exportsOf = async (
  folder: SampleFolder,
  sample: Sample,
): Promise<Readonly<Record<string, unknown>>> => {
  const exported = await folder.run(sample);
  if (isFields(exported)) return exported;
  throw new Error(`${sample.name} exports nothing`);
};

/** Runs the recipe with these words, with `file` in place of its `app.db`. */
export const runRecipe = (folder: SampleFolder, words: readonly string[], file = '') => {
  const recipe = recipeWith(words);
  return exportsOf(folder, { ...recipe, code: recipe.code.replaceAll('app.db', file) });
};

/** A value of this class, which a recipe has exported. */
export const exportOf = <T>(type: abstract new (...given: never[]) => T, value: unknown): T => {
  if (value instanceof type) return value;
  throw new Error(`a recipe exports no ${type.name}`);
};
