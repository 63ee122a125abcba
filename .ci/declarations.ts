import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** The functions that declare schemas and operations, and do nothing else. */
const declaring = [
  ...['about', 'capped', 'checked', 'count', 'functionOf', 'having', 'inputOf', 'like', 'list'],
  ...[
    'mapped',
    'matching',
    'name',
    'named',
    'nullish',
    'number',
    'object',
    'oneOf',
    'optional',
    'perPolicy',
  ],
  ...['plain', 'schema', 'served', 'switchOr', 'text', 'typed', 'upTo', 'whole', 'wireList'],
  'wireObject',
];

// Not in comments, whose lines begin with an asterisk.
const call = new RegExp(
  String.raw`(?<!^\s*\*.*|function |[.\w])(?:${declaring.join('|')})\(`,
  'gm',
);

const text = /(?<=\b(?:about\(|like\(|description:)\s*)'(?:[^'\\]|\\.)*'/g;

/**
 * Lets bundlers drop the declarations that nobody uses: each call is marked as pure, which says so
 * of the calls in its arguments too. `hasTexts: false` empties the texts that only the OpenAPI
 * document shows.
 */
export const declarations = ({ hasTexts }: { readonly hasTexts: boolean }): EsbuildPlugin => ({
  name: 'declarations',
  setup({ onLoad }) {
    onLoad({ filter: /\bsrc[\\/](?:input|operations|schema)[\\/].*\.ts$/ }, async ({ path }) => {
      const source = (await readFile(path, 'utf8')).replace(call, '/* @__PURE__ */ $&');
      return { contents: hasTexts ? source : source.replace(text, "''"), loader: 'ts' };
    });
  },
});
