import { printable } from './print.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;

/** Number of terminal columns that a text takes. */
export const widthOf = (text: string): number => {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
};

/**
 * Maximum columns of a line: those of the terminal, or `COLUMNS`; no limit for a file or a pipe.
 */
export const columns = (): number =>
  process.stdout.columns || Number(process.env['COLUMNS']) || Number.POSITIVE_INFINITY;

/** Wraps a text into lines, at spaces if possible. */
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

/** The text; if it is too wide, its beginning and an ellipsis. */
export const clip = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let clipped = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(clipped + segment) >= width) break;
    clipped += segment;
  }
  return `${clipped}…`;
};

/** The lines of a table with aligned columns, cut to the width. */
export const tableLines = (table: readonly (readonly string[])[], width: number): string[] => {
  const rows = table.map((row) => row.map(printable));
  const widest = (at: number): number =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0);
  const widths = rows[0]?.map((_, at) => widest(at)) ?? [];
  const pad = (cell: string, at: number): string =>
    cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return rows.map((row) => clip(row.map(pad).join('  ').trimEnd(), width));
};
