// The table of all options, inputs and their defaults, from the doc comments.

import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../test/readme/documents.js';
import { entries } from '../../test/readme/entries.js';

/** The subpaths that a reader comes to the table for. */
const SUBPATHS = [
  'colloquy',
  'colloquy/memory',
  'colloquy/sqlite',
  'colloquy/postgres',
  'colloquy/redis',
  'colloquy/http',
  'colloquy/client',
  'colloquy/inspector',
  'colloquy/openapi',
  'colloquy/telemetry',
  'colloquy/openai-agents',
  'colloquy/claude-agent',
  'colloquy/ai-sdk',
];

const IS_OPTIONS = /(Options|Input|Query|Limits)$/;

const inCell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

const programOf = (): ts.Program => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram([...entries.values()], options);
};

/** The types of options that a module exports, each with its rows. */
const tablesOf = (program: ts.Program, path: string): readonly string[] => {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${path} has no exports`);
  const docOf = (symbol: ts.Symbol): string =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const rowOf = (property: ts.Symbol): string => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const name = `\`${property.name}\`${isOptional ? '' : ' (required)'}`;
    return `| ${name} | ${inCell(docOf(property))} |`;
  };
  const tableOf = (exported: ts.Symbol): string => {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
    const rows = properties.filter((property) => docOf(property) !== '').map(rowOf);
    if (rows.length === 0) return '';
    const parts = [`### ${exported.name}`, inCell(docOf(symbol))];
    return [...parts, ['| Option | |', '|---|---|', ...rows].join('\n')].join('\n\n');
  };
  return checker
    .getExportsOfModule(module)
    .filter(({ name }) => IS_OPTIONS.test(name))
    .map(tableOf)
    .filter((table) => table !== '');
};

export const optionsReference = (): string => {
  const program = programOf();
  const parts = SUBPATHS.map((name) => {
    const tables = tablesOf(program, entries.get(name) ?? '');
    return tables.length === 0 ? '' : [`## ${name}`, ...tables].join('\n\n');
  });
  const start =
    'Every option with its meaning, its range and its default, from the comments that your editor shows. Constructors throw a `TypeError` that names each unknown or invalid option.';
  return `${['# Options', start, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
};
