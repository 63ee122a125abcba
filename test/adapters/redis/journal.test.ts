import { describe, expect, test } from 'vitest';
import {
  charactersIn,
  decodeLines,
  encodeLines,
  isUnconfirmed,
  linesIn,
} from '../../../adapters/redis/journal.js';
import { say } from '../../../src/testing/samples.js';

const LINE = '{"role":"user","content":"hello","timestamp":"2026-01-31T18:00:03.000Z"},\n';
const entry = { role: 'user', content: 'hello', timestamp: '2026-01-31T18:00:03.000Z' };

/** The history in a journal that is not rewound. */
const decodeJournal = (
  journal: string,
  { bytes, entries }: { readonly bytes: number; readonly entries: number },
) => {
  const lines = linesIn(journal, { bytes, pieces: [[0, bytes]] });
  const history = lines === undefined ? undefined : decodeLines(lines);
  return history?.length === entries ? history : undefined;
};

/** More escapes than a regular expression has stack for. */
const MANY = 6_000_000;

describe('a journal', () => {
  // Histories of today must be read by every later version of this format.
  test('is a line for each entry', () => {
    expect(encodeLines([entry, entry])).toBe(LINE + LINE);
    expect(decodeLines(LINE + LINE)).toEqual([entry, entry]);
    expect(decodeJournal(LINE + LINE, { bytes: 2 * LINE.length, entries: 2 })).toEqual([
      entry,
      entry,
    ]);
    expect(decodeJournal('', { bytes: 0, entries: 0 })).toEqual([]);
  });

  const texts = ['one', '\u20AC', '\u{1F600}\n"\\', '\ud800', ''].map((text) => say(text));
  const lines = encodeLines(texts);
  const bytes = Buffer.byteLength(lines);

  test.each([
    'x',
    '{',
    LINE,
    '\n',
    '\u20AC'.repeat(9),
    Buffer.from([0xe2, 0x82]).toString(),
    'x'.repeat(100_000),
  ])('ends at its committed length, whatever is after that: %j', (left) => {
    expect(decodeJournal(lines + left, { bytes, entries: texts.length })).toEqual(texts);
  });

  test('ends there too where the characters with those after it are as many as its bytes', () => {
    const left = 'x'.repeat(bytes - lines.length);
    expect(left.length).toBeGreaterThan(0);
    expect(decodeJournal(lines + left, { bytes, entries: texts.length })).toEqual(texts);
  });

  test('is none where it is shorter than its record says, wherever it ends', () => {
    for (let end = 0; end < bytes; end += 1) {
      const cut = Buffer.from(lines).subarray(0, end).toString();
      // A character that is cut is read as another one, which is as long.
      if (Buffer.byteLength(cut) >= bytes) continue;
      expect(decodeJournal(cut, { bytes, entries: texts.length })).toBeUndefined();
    }
  });

  test('is none where its record counts other entries, or ends within a line', () => {
    for (const entries of [0, texts.length - 1, texts.length + 1]) {
      expect(decodeJournal(lines, { bytes, entries })).toBeUndefined();
    }
    expect(decodeJournal(LINE + LINE, { bytes: 2 * LINE.length - 1, entries: 2 })).toBeUndefined();
    expect(decodeJournal(LINE + LINE, { bytes: LINE.length + 9, entries: 1 })).toBeUndefined();
  });

  test('of a server that counts characters is read by characters', () => {
    const whole = { bytes: lines.length, pieces: [[0, lines.length]] } as const;
    expect(decodeLines(charactersIn(lines, whole) ?? '')).toEqual(texts);
  });

  test('is read in its pieces', () => {
    const [first, second, third] = ['\u20AC', 'two', 'three'].map((text) =>
      encodeLines([say(text)]),
    );
    const journal = `${first}${second}\n${third}`;
    const ends = [`${first}`, `${first}${second}\n`, journal].map((text) =>
      Buffer.byteLength(text),
    );
    const [end = 0, begin = 0, bytes = 0] = ends;
    const pieces = [
      [0, end],
      [begin, bytes],
    ] as const;
    expect(decodeLines(linesIn(`${journal}left`, { bytes, pieces }) ?? '')).toEqual([
      say('\u20AC'),
      say('three'),
    ]);
  });

  test('whose record was not written begins with another character, and is read with its record', () => {
    const unconfirmed = LINE.replace('{', '?');
    expect([isUnconfirmed(unconfirmed), isUnconfirmed(LINE)]).toEqual([true, false]);
    expect(decodeLines(unconfirmed + LINE)).toEqual([entry, entry]);
  });

  test.each([
    ['half of a line', LINE.slice(0, -3)],
    ['something before it', ` x${LINE}`],
    ['a word after it', `${LINE}x`],
    ['a line that is no entry', '{"role":"user"},\n'],
    ['an entry with a number', LINE.replace('"hello"', '1')],
    ['a line of something else', 'null,\n'],
    ['a list for an entry', '["role","content","timestamp"],\n'],
    ['another end than a comma', `${LINE.slice(0, -2)};\n`],
    ['a raw line feed in a text', LINE.replace('hello', 'hel\nlo')],
    ['a bad escape', LINE.replace('hello', '\\x')],
    ['a list within the list', '],[,\n'],
  ])('is none with %s', (_, text) => {
    expect(decodeLines(text)).toBeUndefined();
  });

  test('gives its reader entries of its own', () => {
    const [[first] = [], [again] = []] = [decodeLines(LINE), decodeLines(LINE)];
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(Object.isFrozen(again)).toBe(false);
  });

  test('is read with millions of escapes', () => {
    const long = LINE.replace('hello', '\\n'.repeat(MANY));
    expect(decodeLines(long)?.[0]?.content).toHaveLength(MANY);
    expect(decodeLines(long.slice(0, -3))).toBeUndefined();
  });
});
