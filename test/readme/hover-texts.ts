import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';
import { entries } from './entries.js';
import { isOurs, publicExportsOf } from './public-exports.js';

const isMember = (node: ts.Node): node is ts.ClassElement | ts.TypeElement =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isGetAccessorDeclaration(node);

/**
 * Names that are explained elsewhere: those of JSON Schema and OpenAPI, which their standards
 * explain, the parts of a client or framework that the host has already, and the results and errors
 * by operation.
 */
const explainedElsewhere = new Set([
  'JsonSchema',
  'Schema',
  'RedisClient',
  'BlockingRedisClient',
  'SqliteDatabase',
  'SqliteStatement',
  'PostgresClient',
  'PostgresPool',
  'KoaContext',
  'OperationResults',
  'OperationErrors',
  'RemoteErrors',
  'RemoteOperations',
]);

const isExplainedElsewhere = (node: ts.Node): boolean => {
  const owner = ts.findAncestor(
    node,
    (parent) => ts.isInterfaceDeclaration(parent) || ts.isTypeAliasDeclaration(parent),
  );
  const name = owner && ts.getNameOfDeclaration(owner)?.getText();
  const isOpenApi =
    relative(root, node.getSourceFile().fileName) === join('src', 'openapi', 'types.ts');
  return isOpenApi || (name !== undefined && explainedElsewhere.has(name));
};

/**
 * A field whose only value tells one form of a union from the others: `type: 'not_found'`.
 */
const isTag = (node: ts.ClassElement | ts.TypeElement): boolean =>
  ts.isPropertySignature(node) && node.type !== undefined && ts.isLiteralTypeNode(node.type);

/** A field of a short type without a name: the text of what has the type explains it. */
const isInShortType = ({ parent }: ts.Node): boolean =>
  ts.isTypeLiteralNode(parent) && parent.getText().replace(/\s+/g, ' ').length <= 110;

/**
 * Whether users can name a member: it is neither private nor marked as internal, nor a symbol, nor
 * always absent.
 */
const isPublic = (node: ts.ClassElement | ts.TypeElement): boolean => {
  if (
    node.name === undefined ||
    ts.isPrivateIdentifier(node.name) ||
    ts.isComputedPropertyName(node.name)
  )
    return false;
  if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')) return false;
  const kind = ts.isPropertySignature(node) ? node.type?.kind : undefined;
  const isAbsent = kind === ts.SyntaxKind.NeverKeyword || kind === ts.SyntaxKind.UndefinedKeyword;
  if (isAbsent || isTag(node) || isInShortType(node) || isExplainedElsewhere(node)) return false;
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) === 0;
};

/**
 * The members that a declaration has in its text, also within types that are written out where they
 * are used.
 */
const membersIn = (node: ts.Node): readonly (ts.ClassElement | ts.TypeElement)[] => {
  const found: (ts.ClassElement | ts.TypeElement)[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isBlock(child) || ts.isExpression(child)) return;
    if (isMember(child) && isPublic(child)) found.push(child);
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return found;
};

/**
 * What users see of each public name when they point at it in an editor: `colloquy/http:
 * Problem.code`, and its text.
 */
export const hoverTexts = (program: ts.Program): ReadonlyMap<string, string> => {
  const { checker, exports } = publicExportsOf(entries.keys(), program);
  const textOf = (symbol: ts.Symbol | undefined): string =>
    ts.displayPartsToString(symbol?.getDocumentationComment(checker)).trim();
  const texts = new Map<string, string>();
  for (const { entry, name: exportedName, symbol } of exports) {
    const name = `${entry}: ${exportedName}`;
    const isForeign = symbol.declarations?.every(
      (node) => !isOurs(node) || isExplainedElsewhere(node),
    );
    if (!isForeign) texts.set(name, textOf(symbol));
    const inherited = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    const declarations = [symbol, ...inherited]
      .flatMap((one) => one.declarations ?? [])
      .filter(isOurs);
    const members = declarations.flatMap((node) => [
      ...(isMember(node) && isPublic(node) ? [node] : []),
      ...membersIn(node),
    ]);
    for (const member of members) {
      const memberSymbol = member.name && checker.getSymbolAtLocation(member.name);
      texts.set(`${name}.${member.name?.getText() ?? ''}`, textOf(memberSymbol));
    }
  }
  return texts;
};
