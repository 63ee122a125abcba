import { type Line, printable } from './print.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;

export const widthOf = (text: string): number => {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
};

/**
 * Maximum columns of a line: the width of the terminal, or `COLUMNS`; no limit for a file or a
 * pipe.
 */
export const columns = (): number =>
  process.stdout.columns || Number(process.env['COLUMNS']) || Number.POSITIVE_INFINITY;

export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let [line, left] = ['', width];
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(segment) > left && line !== '') {
      const end = line.lastIndexOf(' ') + 1 || line.length;
      lines.push(line.slice(0, end).trimEnd());
      line = line.slice(end);
      left = width - widthOf(line);
    }
    line += segment;
    left -= widthOf(segment);
  }
  return [...lines, line.trimEnd()];
};

export const clip = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let clipped = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(clipped + segment) >= width) break;
    clipped += segment;
  }
  return `${clipped}…`;
};

export interface Row {
  readonly cells: readonly string[];
  readonly style: Line['style'];
}

/** The lines of a table with aligned columns, cut to the width. */
export const tableLines = (rows: readonly Row[], width: number): Line[] => {
  const table = rows.map(({ cells }) => cells.map(printable));
  const widest = (at: number): number =>
    table.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0);
  const widths = table[0]?.map((_, at) => widest(at)) ?? [];
  const pad = (cell: string, at: number): string =>
    cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return table.map((row, at) => ({
    text: clip(row.map(pad).join('  ').trimEnd(), width),
    style: rows[at]?.style,
  }));
};

/**
 * A help text in lines of at most 120 characters, with its options in two columns. It declares each
 * option in a line, `  --name VALUE  What it is`, which lines with four more spaces continue.
 */
export const laidOut = (help: string): string => {
  const width = Math.min(columns(), 120);
  const parts = help
    .replaceAll('\n    ', ' ')
    .split('\n')
    .map((line) => /^( {2}--.*?) {2}(.*)$/.exec(line) ?? ['', '', line]);
  const indent = Math.max(...parts.map(([, name = '']) => name.length)) + 2;
  const lines = parts.flatMap(([, name = '', text = '']) => {
    if (name === '') return wrap(text, width);
    const [first, ...rest] = wrap(text, Math.max(20, width - indent));
    return [name.padEnd(indent) + first, ...rest.map((line) => ' '.repeat(indent) + line)];
  });
  return lines.join('\n');
};
