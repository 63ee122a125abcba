import { relative } from 'node:path';
import ts from 'typescript';
import { compilerHost, optionsOfRepository } from './compiler-host.js';
import { root } from './documents.js';
import { entries } from './entries.js';

/** A name that users import. */
export interface PublicExport {
  /** The subpath, for example `colloquy/http`. */
  readonly entry: string;
  readonly name: string;
  readonly symbol: ts.Symbol;
}

/** Whether a declaration stands in this repository. */
export const isOurs = (node: ts.Node): boolean => {
  const path = relative(root, node.getSourceFile().fileName);
  return !path.startsWith('..') && !path.includes('node_modules');
};

const programOfEntries = (): ts.Program => {
  const options = optionsOfRepository();
  return ts.createProgram([...entries.values()], options, compilerHost(options));
};

/**
 * The names that users import of these subpaths, and the checker that knows their types. A program
 * that has all entries saves the time to make one.
 */
export const publicExportsOf = (subpaths: Iterable<string>, program = programOfEntries()) => {
  const checker = program.getTypeChecker();
  const found = [...subpaths].flatMap((entry): readonly PublicExport[] => {
    const source = program.getSourceFile(entries.get(entry) ?? '');
    const module = source && checker.getSymbolAtLocation(source);
    return (module === undefined ? [] : checker.getExportsOfModule(module)).map((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      return { entry, name: exported.name, symbol };
    });
  });
  return { checker, exports: found };
};
