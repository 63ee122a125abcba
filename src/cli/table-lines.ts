import { printable } from './print.js';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;

/** How many columns of a terminal a text takes. */
export const widthOf = (text: string): number => {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
};

/** How many columns a line may have: those of the terminal, or `COLUMNS`. A file and a pipe have no bound. */
export const columns = (): number =>
  process.stdout.columns || Number(process.env['COLUMNS']) || Number.POSITIVE_INFINITY;

/** The text in lines, broken at spaces where there are some. */
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

/** The text, or as much of its beginning as fits, and an ellipsis. */
export const clip = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let clipped = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(clipped + segment) >= width) break;
    clipped += segment;
  }
  return `${clipped}…`;
};

/** Rows with their cells one below the other, each cut off where the line ends. */
export const tableLines = (table: readonly (readonly string[])[], width: number): string[] => {
  const rows = table.map((row) => row.map(printable));
  const widest = (at: number): number => rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0);
  const widths = rows[0]?.map((_, at) => widest(at)) ?? [];
  const pad = (cell: string, at: number): string => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return rows.map((row) => clip(row.map(pad).join('  ').trimEnd(), width));
};
