/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** The least that it may shrink to where the terminal is narrow. Default: it never shrinks. */
  readonly least?: number;
}

const GAP = '  ';
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;

const widthOfOne = (grapheme: string): number => {
  if (WIDE.test(grapheme)) return 2;
  return /^\p{M}+$/u.test(grapheme) ? 0 : 1;
};

const lettersOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** In how many cells of a terminal a text stands. */
export const widthOf = (text: string): number =>
  isPlain(text) ? text.length : lettersOf(text).reduce((width, letter) => width + widthOfOne(letter), 0);

/** The text, or as much of it as there is room for. */
export const clip = (text: string, room: number): string => {
  if (widthOf(text) <= room) return text;
  let clipped = '';
  let left = room - 1;
  for (const letter of lettersOf(text)) {
    left -= widthOfOne(letter);
    if (left < 0) break;
    clipped += letter;
  }
  return `${clipped}…`;
};

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

/** Takes from the widest column that can give, until all fit; leaves out the last ones where nothing can give any more. */
const shrunk = (columns: readonly Column[], natural: readonly number[], room: number): number[] => {
  const least = natural.map((width, at) => Math.min(width, columns[at]?.least ?? width));
  while (least.length > 1 && total(least) > room) least.pop();
  const widths = natural.slice(0, least.length);
  while (total(widths) > room) {
    const slack = widths.map((width, at) => width - (least[at] ?? 0));
    const widest = slack.indexOf(Math.max(...slack));
    if ((slack[widest] ?? 0) === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
};

/** Rows under their titles, one below the other, within `room` cells where there is such a bound. */
export const tableLines = (
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  room: number | undefined,
): string[] => {
  const all = [columns.map(({ title }) => title), ...rows];
  const natural = columns.map((_, at) => all.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0));
  const widths = room === undefined ? natural : shrunk(columns, natural, room);
  return all.map((row) => {
    const cells = widths.map((width, at) => {
      const cell = clip(row[at] ?? '', width);
      const filling = ' '.repeat(Math.max(0, width - widthOf(cell)));
      return columns[at]?.align === 'right' ? filling + cell : cell + filling;
    });
    return cells.join(GAP).trimEnd();
  });
};

/** The text in lines of at most `room` cells, broken at spaces where there are some. */
export const wrapped = (text: string, room: number): string[] => {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const letter of lettersOf(text)) {
    if (width + widthOfOne(letter) > room) {
      const space = line.lastIndexOf(' ') + 1;
      const rest = space > 0 ? line.slice(space) : '';
      lines.push(space > 0 ? line.slice(0, space).trimEnd() : line);
      line = rest;
      width = widthOf(rest);
    }
    line += letter;
    width += widthOfOne(letter);
  }
  return [...lines, line];
};
