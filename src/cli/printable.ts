/**
 * What a terminal would obey or hide rather than show: control characters with their escape sequences, marks that turn
 * the direction of a line, invisible characters, halves of pairs. Joiners stay: emoji and several scripts need them.
 */
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Text of a stranger's on one line of a terminal, with nothing in it that the terminal would act upon. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped);

/** The same, line for line. */
export const printableLines = (text: string): string[] => text.split('\n').map(printable);

const inJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** A value as one line of JSON that is safe to look at: `JSON.stringify` leaves more as it is than a terminal bears. */
export const jsonLine = (value: unknown): string => JSON.stringify(value).replace(UNSAFE, inJson);
