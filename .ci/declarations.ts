import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';
import ts from 'typescript';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** The functions that declare schemas and endpoints, and do nothing else. */
const declaring = [
  ...['about', 'capped', 'checked', 'count', 'functionOf', 'having', 'inputOf', 'like', 'list'],
  ...[
    'mapped',
    'matching',
    'name',
    'named',
    'namedValues',
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

const text = /(?<=\bdescription:\s*)'(?:[^'\\]|\\.)*'/g;

const wrapping = ['about', 'like'];

/** Puts the schema in place of each call that gives it a description or an example. */
const withoutTexts = (source: string): string => {
  let left = '';
  let at = 0;
  const visit = (node: ts.Node): void => {
    const [, of] = ts.isCallExpression(node) ? node.arguments : [];
    const isWrapped =
      of && ts.isCallExpression(node) && wrapping.includes(node.expression.getText());
    if (!isWrapped) {
      ts.forEachChild(node, visit);
      return;
    }
    left += source.slice(at, node.getStart());
    at = of.getStart();
    visit(of);
    left += source.slice(at, of.end);
    at = node.end;
  };
  visit(ts.createSourceFile('', source, ts.ScriptTarget.Latest, true));
  return (left + source.slice(at)).replace(text, "''");
};

/**
 * Lets bundlers drop unused declarations: each call is marked as pure, including the calls in its
 * arguments. `hasTexts: false` drops the texts and examples that only the OpenAPI document shows.
 */
export const declarations = ({ hasTexts }: { readonly hasTexts: boolean }): EsbuildPlugin => ({
  name: 'declarations',
  setup({ onLoad }) {
    onLoad({ filter: /\bsrc[\\/](?:input|endpoints|schema)[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const kept = hasTexts ? source : withoutTexts(source);
      return { contents: kept.replace(call, '/* @__PURE__ */ $&'), loader: 'ts' };
    });
  },
});
