// The table of all options, inputs and their defaults, from the doc comments.

import ts from 'typescript';
import { type PublicExport, publicExportsOf } from '../../test/readme/public-exports.js';
import { inCell } from './in-cell.js';

/** The subpaths with options, in the order of the table. */
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

/** The table of a type of options; '' if none of them has a description. */
const tableOf = (checker: ts.TypeChecker, { name, symbol }: PublicExport): string => {
  const docOf = (each: ts.Symbol): string =>
    inCell(ts.displayPartsToString(each.getDocumentationComment(checker)));
  const rows = checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter((property) => docOf(property) !== '')
    .map((property) => {
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      return `| \`${property.name}\`${isOptional || /\bDefault: /.test(docOf(property)) ? '' : ' (required)'} | ${docOf(property)} |`;
    });
  if (rows.length === 0) return '';
  return [`### ${name}`, docOf(symbol), ['| Option | |', '|---|---|', ...rows].join('\n')].join(
    '\n\n',
  );
};

export const optionsReference = (): string => {
  const { checker, exports } = publicExportsOf(SUBPATHS);
  const parts = SUBPATHS.map((subpath) => {
    const tables = exports
      .filter(({ entry, name }) => entry === subpath && IS_OPTIONS.test(name))
      .map((each) => tableOf(checker, each))
      .filter((table) => table !== '');
    return tables.length === 0 ? '' : [`## ${subpath}`, ...tables].join('\n\n');
  });
  const start =
    'Every option with its meaning, its range and its default, from the comments that your editor shows. Constructors throw a `TypeError` that names each unknown or invalid option.';
  return `${['# Options', start, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
};
