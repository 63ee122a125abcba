import { styleText } from 'node:util';

/**
 * What a terminal would obey or hide instead of show: control characters, which begin escape sequences, marks that turn
 * the direction of a line, invisible characters, halves of surrogate pairs. Joiners stay: emoji and some scripts need them.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text on one line, with nothing in it that a terminal would act upon. */
export const printable = (text: string): string => {
  const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return text.replace(UNSAFE, (character) => short[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
};

/** A value as one line of JSON in which everything is printable. It parses to the same value. */
export const jsonLine = (value: unknown): string => {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNSAFE, (character) => character.split('').map(escaped).join(''));
};

/** A terminal shows a line in its style, unless NO_COLOR is set. */
export type Line = { readonly text: string; readonly style?: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | undefined };

const write = (stream: NodeJS.WriteStream, line: string): Promise<boolean> =>
  new Promise((resolve) => stream.write(`${line}\n`, (error) => resolve(!error)));

/**
 * Writes one line to standard output. All that the commands print goes through this file, so that no text of a stranger's
 * reaches the terminal as it is. Resolves to whether the line arrived: the reader may be gone.
 */
export const print = (text: string, style?: Line['style']): Promise<boolean> =>
  write(process.stdout, style === undefined ? printable(text) : styleText(style, printable(text)));

/** The same for several lines, until one does not arrive. */
export const printAll = async (lines: Iterable<Line>): Promise<boolean> => {
  for (const { text, style } of lines) if (!(await print(text, style))) return false;
  return true;
};

/** The same as `print` for a text of several lines, at once. */
export const printText = (text: string): Promise<boolean> =>
  write(process.stdout, text.split('\n').map(printable).join('\n'));

/** The same as `print` for standard error. */
export const printError = (text: string): Promise<boolean> => write(process.stderr, printable(text));
