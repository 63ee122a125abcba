import { styleText } from 'node:util';

/**
 * Characters that a terminal interprets or hides: control characters, which begin escape sequences,
 * direction marks, invisible characters, and lone surrogates. Joiners are allowed: emoji and some
 * scripts need them.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export const printable = (text: string): string => {
  const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  return text.replace(
    UNSAFE,
    (character) => short[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
};

/** The value as one line of JSON with unsafe characters escaped. It parses to the same value. */
export const jsonLine = (value: unknown): string => {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNSAFE, (character) =>
    character.split('').map(escaped).join(''),
  );
};

export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A line and its style on a terminal. NO_COLOR turns styles off. */
export type Line = {
  readonly text: string;
  readonly style?: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | undefined;
};

const write = (stream: NodeJS.WriteStream, line: string): Promise<boolean> =>
  new Promise((resolve) => stream.write(`${line}\n`, (error) => resolve(!error)));

/**
 * Writes one line to standard output. All output of the commands goes through this file, so no
 * untrusted text reaches the terminal unescaped. Resolves to false if the output is closed.
 */
export const print = (text: string, style?: Line['style']): Promise<boolean> => {
  const safe = printable(text);
  return write(process.stdout, (style && styleText(style, safe)) ?? safe);
};

export const printAll = async (lines: Iterable<Line>): Promise<boolean> => {
  for (const { text, style } of lines) if (!(await print(text, style))) return false;
  return true;
};

export const printText = (text: string): Promise<boolean> =>
  write(process.stdout, text.split('\n').map(printable).join('\n'));

export const printError = (text: string): Promise<boolean> =>
  write(process.stderr, printable(text));
