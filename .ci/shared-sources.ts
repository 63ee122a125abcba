import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** What the service, the stores and the HTTP handler all build on. */
const folders = ['src/schema', 'src/session', 'src/store'];
const files = [
  'src/events/in-own-context.ts',
  'src/events/timers.ts',
  'src/service/http-status-of.ts',
];

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/**
 * Puts the shared sources into one chunk. esbuild makes a chunk for each set of entries that reach
 * a file, and Node takes as long to load thirty small files as to run what is in them: so each of
 * `entries` reaches all shared sources.
 */
export const sharedSources = (entries: readonly string[]): EsbuildPlugin => {
  const shared = new Set([...folders.flatMap(sourcesIn), ...files].map((file) => resolve(file)));
  const reaching = new Set(entries.map((entry) => resolve(entry)));
  const imports = [...shared].map((file) => `import ${JSON.stringify(file)};`).join('\n');
  return {
    name: 'shared-sources',
    setup({ onResolve, onLoad }) {
      // Imported for their effects, because esbuild drops other imports that use no name.
      onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path.replace(/\.js$/, '.ts'));
        return shared.has(file) ? { path: file, sideEffects: true } : undefined;
      });
      onLoad({ filter: /\/(index|main)\.ts$/ }, async ({ path }) => {
        if (!reaching.has(path)) return undefined;
        return { contents: `${await readFile(path, 'utf8')}\n${imports}`, loader: 'ts' };
      });
    },
  };
};
