import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** The part of Vite's own type that is used here. */
interface VitePlugin {
  readonly name: string;
  readonly enforce: 'pre';
  transform(text: string, id: string): { readonly code: string; readonly map: null } | undefined;
}

/** Files that the sources import as text: scripts for Redis, and SQL. */
const textFile = /\.(?:lua|sql)$/;

/** Removes indentation and lines that are only comments, which servers do not need. */
const shorten = (text: string): string =>
  text
    .replace(/^\s*--.*\n/gm, '')
    .replace(/^\s+/gm, '')
    .trim();

/** Inserts the texts into what esbuild bundles. */
export const textFilesInEsbuild: EsbuildPlugin = {
  name: 'text-files',
  setup({ onLoad }) {
    onLoad({ filter: textFile }, async ({ path }) => ({
      contents: shorten(await readFile(path, 'utf8')),
      loader: 'text',
    }));
  },
};

/** Inserts the texts when Vite loads the sources, as in the tests. */
export const textFilesInVite: VitePlugin = {
  name: 'text-files',
  enforce: 'pre',
  transform: (text, id) => {
    const [path = ''] = id.split('?', 1);
    if (!textFile.test(path)) return undefined;
    return { code: `export default ${JSON.stringify(shorten(text))};\n`, map: null };
  },
};
