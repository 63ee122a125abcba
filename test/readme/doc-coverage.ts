import ts from 'typescript';
import {
  checker,
  type DocExample,
  declarationsOf,
  examplesIn,
  examplesOf,
  explained,
  nameOf,
} from './doc-examples.js';
import type { Sample } from './samples.js';

/** Whether users call it, or make one of it. */
const isCallable = (symbol: ts.Symbol): boolean => {
  const [declaration] = symbol.declarations ?? [];
  if ((symbol.flags & ts.SymbolFlags.Value) === 0 || declaration === undefined) return false;
  const type = checker.getTypeOfSymbolAtLocation(symbol, declaration);
  return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
};

/** The methods that the service calls of a store, and no user. */
const storeMethods = new Set(
  explained
    .filter(({ name }) => name === 'SessionStore')
    .flatMap(({ symbol }) => checker.getDeclaredTypeOfSymbol(symbol).getProperties())
    .map(({ name }) => name),
);

const isStore = ({ heritageClauses }: ts.ClassDeclaration): boolean =>
  (heritageClauses ?? []).some(({ types }) =>
    types.some((type) => type.getText() === 'SessionStore'),
  );

/** The methods and accessors of a class that users call. */
const calledOf = (node: ts.ClassDeclaration): readonly ts.ClassElement[] =>
  node.members.filter((member) => {
    if (!ts.isMethodDeclaration(member) && !ts.isGetAccessorDeclaration(member)) return false;
    if (!ts.isIdentifier(member.name)) return false;
    if ((ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0) return false;
    return !isStore(node) || !storeMethods.has(member.name.text);
  });

/** The examples of each class, function, method and accessor. */
const examplesByName = (): ReadonlyMap<string, readonly Sample[]> => {
  const found = new Map<string, readonly Sample[]>();
  for (const each of explained) {
    const declarations = declarationsOf(each);
    if (declarations.length === 0 || !isCallable(each.symbol)) continue;
    const name = `${each.entry}: ${each.name}`;
    found.set(
      name,
      declarations.flatMap((node) => examplesIn(node, name)),
    );
    for (const member of declarations.filter(ts.isClassDeclaration).flatMap(calledOf))
      found.set(`${name}.${nameOf(member)}`, examplesOf(member, name));
  }
  return found;
};

/** Those without an example. */
export const namesWithoutExample = (): readonly string[] =>
  [...examplesByName()].filter(([, examples]) => examples.length === 0).map(([name]) => name);

/** Where a declaration stands, which is the same in every program. */
const placeOf = (node: ts.Node): string => `${node.getSourceFile().fileName}:${node.pos}`;

/** The parts of a type whose fields an object may have: those of a union, one by one. */
const formsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

const placesOfField = (type: ts.Type, name: string): readonly string[] =>
  formsOf(type).flatMap((form) => (form.getProperty(name)?.declarations ?? []).map(placeOf));

/** The places of the options that an example gives a value. */
const shownIn = (program: ts.Program, file: string): ReadonlySet<string> => {
  const types = program.getTypeChecker();
  const places = new Set<string>();
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const type = ts.isObjectLiteralExpression(node) ? types.getContextualType(node) : undefined;
    if (type === undefined || !ts.isObjectLiteralExpression(node)) return;
    const given = node.properties.flatMap(({ name }) => placesOfField(type, name?.getText() ?? ''));
    for (const place of given) places.add(place);
  };
  const source = program.getSourceFile(file);
  if (source !== undefined) visit(source);
  return places;
};

/** An error and results that sound like options, and what the handler gives routes and stores. */
const noOptions = new Set(['InvalidInput', 'SessionOptions', 'OperationInput', 'ReplaceOptions']);

const fieldsOf = (type: ts.Type): ReadonlySet<string> =>
  new Set(formsOf(type).flatMap((form) => form.getProperties().map(({ name }) => name)));

/** The options that no example of their subpath shows. */
export const optionsWithoutExample = (
  program: ts.Program,
  files: ReadonlyMap<string, DocExample>,
): readonly string[] => {
  const shown = [...files].map(([file, { subpath }]) => ({
    subpath,
    places: shownIn(program, file),
  }));
  return explained.flatMap(({ entry, name, symbol }) => {
    if (!/(?:Options|Input|Query)$/.test(name) || noOptions.has(name)) return [];
    const ofSubpath = shown.filter(({ subpath }) => subpath === entry);
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const missing = [...fieldsOf(type)].filter((field) => {
      const places = placesOfField(type, field);
      return !ofSubpath.some((each) => places.some((place) => each.places.has(place)));
    });
    return missing.map((field) => `${entry}: ${name}.${field}`);
  });
};
