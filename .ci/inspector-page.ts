import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** The part of Vite's own type that is used here. */
interface VitePlugin {
  readonly name: string;
  readonly enforce: 'pre';
  load(id: string): Promise<string | undefined>;
}

/** The module that stands for the page in the sources. */
const standIn = /[\\/]src[\\/]inspector[\\/]page\.ts$/;

const sourceOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const bundle = async (file: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // The text goes between tags, so it must not contain what looks like a closing tag.
  return (outputFiles[0]?.text ?? '').trim().replace(/<\/(?=script|style)/gi, '<\\/');
};

/**
 * The page in `src/inspector/page/` as the module that the library loads: one document, and the
 * hashes of its parts.
 */
const pageModule = async (standInPath: string): Promise<string> => {
  const folder = join(dirname(standInPath), 'page');
  const [document, script, style] = await Promise.all([
    readFile(join(folder, 'index.html'), 'utf8'),
    bundle(join(folder, 'main.ts')),
    bundle(join(folder, 'style.css')),
  ]);
  const html = document
    .replace(/<!--.*?-->/gs, '')
    .replace(/\n\s*/g, '\n')
    .replace('<link rel="stylesheet" href="style.css" />', () => `<style>${style}</style>`)
    .replace('<script src="main.ts"></script>', () => `<script>${script}</script>`);
  const page = { html, script: sourceOf(script), style: sourceOf(style) };
  return `export const page = ${JSON.stringify(page)};\n`;
};

/** Inserts the page into what esbuild bundles. */
export const inspectorPageInEsbuild: EsbuildPlugin = {
  name: 'inspector-page',
  setup({ onLoad }) {
    onLoad({ filter: standIn }, async ({ path }) => ({
      contents: await pageModule(path),
      loader: 'js',
    }));
  },
};

/** Inserts the page when Vite loads the sources, as in the tests. */
export const inspectorPageInVite: VitePlugin = {
  name: 'inspector-page',
  enforce: 'pre',
  load: async (id) => {
    const [path = ''] = id.split('?', 1);
    return standIn.test(path) ? pageModule(path) : undefined;
  },
};
