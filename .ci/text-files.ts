import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** As far as Vite's own type is needed. */
interface VitePlugin {
  readonly name: string;
  readonly enforce: 'pre';
  transform(text: string, id: string): { readonly code: string; readonly map: null } | undefined;
}

/** Files that the sources import as text: scripts for Redis, and SQL. */
const textFile = /\.(?:lua|sql)$/;

/**
 * The file without lines that are only comments, and without indentation: servers get it, and
 * readers have the file.
 */
const shorten = (text: string): string =>
  text
    .replace(/^\s*--.*\n/gm, '')
    .replace(/^\s+/gm, '')
    .trim();

/** Puts the texts in their places in what esbuild bundles. */
export const textFilesInEsbuild: EsbuildPlugin = {
  name: 'text-files',
  setup({ onLoad }) {
    onLoad({ filter: textFile }, async ({ path }) => ({
      contents: shorten(await readFile(path, 'utf8')),
      loader: 'text',
    }));
  },
};

/** The same where Vite loads the sources, as the tests do. */
export const textFilesInVite: VitePlugin = {
  name: 'text-files',
  enforce: 'pre',
  transform: (text, id) => {
    const [path = ''] = id.split('?', 1);
    if (!textFile.test(path)) return undefined;
    return { code: `export default ${JSON.stringify(shorten(text))};\n`, map: null };
  },
};
