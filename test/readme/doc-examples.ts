import { join, relative } from 'node:path';
import ts from 'typescript';
import type { settings } from './doc-example-settings.js';
import { root } from './documents.js';
import { entries } from './entries.js';
import { isOurs, type PublicExport, publicExportsOf } from './public-exports.js';
import { blocksIn, type Sample } from './samples.js';

type Settings = typeof settings;

/** A subpath whose doc comments have examples. */
type Subpath = keyof Settings;

/** What the examples of each subpath find in place. */
const inPlace: { readonly [S in Subpath]: readonly (keyof Awaited<ReturnType<Settings[S]>>)[] } = {
  colloquy: ['store', 'sessions', 'id', 'askModel'],
  'colloquy/memory': [],
  'colloquy/redis': ['client'],
  'colloquy/sqlite': ['database'],
  'colloquy/postgres': ['pool'],
  'colloquy/http': ['sessions', 'id'],
  'colloquy/client': ['client', 'sessions', 'id', 'askModel'],
};

/** An example of a doc comment. */
export interface DocExample extends Sample {
  /** The subpath that exports what it explains. */
  readonly subpath: Subpath;
  /** Number of its lines, without what it takes for granted. */
  readonly lines: number;
}

/** A name that users import of one of these subpaths. */
type Explained = PublicExport & { readonly entry: Subpath };

const { checker, exports: imported } = publicExportsOf(entries.keys());

export { checker };

export const explained = imported.filter((each): each is Explained =>
  Object.hasOwn(inPlace, each.entry),
);

export const declarationsOf = ({
  symbol,
}: Pick<PublicExport, 'symbol'>): readonly ts.Declaration[] =>
  (symbol.declarations ?? []).filter(isOurs);

export const nameOf = (node: ts.Declaration): string =>
  ts.getNameOfDeclaration(node)?.getText() ?? '';

/** The examples in the comment of a declaration; `name` is what users call it. */
export const examplesIn = (node: ts.Declaration, name: string): readonly Sample[] => {
  const source = node.getSourceFile();
  return ts.getJSDocTags(node).flatMap((tag) => {
    if (tag.tagName.text !== 'example') return [];
    const { line } = source.getLineAndCharacterOfPosition(tag.getStart());
    const place = `${name} (${relative(root, source.fileName)}:${line + 1})`;
    const text = `${ts.getTextOfJSDocComment(tag.comment) ?? ''}\n`;
    return blocksIn({ path: place, text }, 'ts').map((block) => ({ ...block, name: place }));
  });
};

/** The declarations of a member in the interfaces that its class implements. */
const inheritedBy = (member: ts.ClassElement): readonly ts.Declaration[] => {
  if (!ts.isClassDeclaration(member.parent)) return [];
  const interfaces = (member.parent.heritageClauses ?? []).flatMap(({ types }) => types);
  return interfaces.flatMap((each) => {
    const inherited = checker.getTypeAtLocation(each).getProperty(nameOf(member));
    return (inherited?.declarations ?? []).filter(isOurs);
  });
};

/** The examples that an editor shows for a member: its own, or those that it inherits. */
export const examplesOf = (
  member: ts.ClassElement | ts.TypeElement,
  name: string,
): readonly Sample[] => {
  const own = examplesIn(member, name);
  if (own.length > 0 || !ts.isClassElement(member)) return own;
  return inheritedBy(member).flatMap((each) => examplesIn(each, name));
};

/** The examples of a declaration and of its members. */
const allExamplesIn = (node: ts.Declaration, name: string): readonly Sample[] => {
  const own = examplesIn(node, name);
  if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return own;
  const members: readonly (ts.ClassElement | ts.TypeElement)[] = [...node.members];
  return [...own, ...members.flatMap((each) => examplesOf(each, `${name}.${nameOf(each)}`))];
};

const identifiersIn = (node: ts.Node): readonly string[] => {
  const names: string[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isIdentifier(child)) names.push(child.text);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
};

/** The names that a declaration gives: those of a pattern, if it takes its value apart. */
const namesIn = (name: ts.BindingName): readonly string[] => {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((each) => (ts.isBindingElement(each) ? namesIn(each.name) : []));
};

/** The names that the statements of an example declare for all of it. */
const declaredIn = ({ statements }: ts.SourceFile): ReadonlySet<string> =>
  new Set(
    statements.flatMap((statement) => {
      if (ts.isImportDeclaration(statement)) return identifiersIn(statement);
      if (!ts.isVariableStatement(statement)) return [];
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
    }),
  );

/** The import of a name: from the subpath of the example, or else from another subpath. */
const importOf = (name: string, subpath: Subpath): readonly string[] => {
  const known = imported.filter((each) => each.name === name);
  const one = known.find(({ entry }) => entry === subpath) ?? known[0];
  if (one === undefined) return [];
  const isType = (one.symbol.flags & ts.SymbolFlags.Value) === 0;
  return [`import { ${isType ? `type ${name}` : name} } from '${one.entry}';\n`];
};

const SETTINGS = './test/readme/doc-example-settings';

/** The example as a module: with the imports and the values that it takes for granted. */
const moduleOf = (code: string, subpath: Subpath): string => {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  const declared = declaredIn(source);
  const wanted = [...new Set(identifiersIn(source))].filter((name) => !declared.has(name));
  const placed: readonly string[] = inPlace[subpath];
  const values = wanted.filter((name) => placed.includes(name));
  const given = [
    `import { settings } from '${SETTINGS}.js';\n`,
    `const { ${values.join(', ')} } = await settings['${subpath}']();\n`,
  ];
  const imports = wanted.flatMap((name) => importOf(name, subpath));
  return [...imports, ...(values.length === 0 ? ['export {};\n'] : given), code].join('');
};

/** The same example for a file that stands elsewhere. */
export const fromElsewhere = ({ code, ...example }: DocExample): DocExample => ({
  ...example,
  code: code.replace(`${SETTINGS}.js`, `${join(root, SETTINGS)}.ts`),
});

/** All examples of the public names, once for each subpath that exports what they explain. */
export const docExamples = (): readonly DocExample[] => {
  const found = new Map<string, DocExample>();
  for (const { entry: subpath, name, ...each } of explained) {
    for (const sample of declarationsOf(each).flatMap((node) => allExamplesIn(node, name))) {
      const code = moduleOf(sample.code, subpath);
      const lines = sample.code.trimEnd().split('\n').length;
      found.set(`${subpath} ${code}`, { ...sample, code, subpath, lines });
    }
  }
  return [...found.values()];
};
