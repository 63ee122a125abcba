import { describe, expect, test } from 'vitest';
import { decodeLines, encodeLines } from '../../../adapters/redis/record.js';

const LINE = '{"role":"user","content":"hello","timestamp":"2026-01-31T18:00:03.000Z"},\n';
const entry = { role: 'user', content: 'hello', timestamp: '2026-01-31T18:00:03.000Z' };

/** More escapes than a regular expression has stack for. */
const MANY = 6_000_000;

describe('a Redis journal', () => {
  // Histories of today must be read by every later version of this format.
  test('contains one line per entry', () => {
    expect(encodeLines([entry, entry])).toBe(LINE + LINE);
    expect(decodeLines(LINE + LINE)).toEqual([entry, entry]);
    expect(decodeLines('')).toEqual([]);
  });

  test('starts with another character if its record was not written, and is read together with its record', () => {
    const unconfirmed = LINE.replace('{', '?');
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
  ])('decodes to nothing with %s', (_, text) => {
    expect(decodeLines(text)).toBeUndefined();
  });

  test('returns a fresh copy of its entries to each reader', () => {
    const [[first] = [], [again] = []] = [decodeLines(LINE), decodeLines(LINE)];
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(Object.isFrozen(again)).toBe(false);
  });

  test('is readable with millions of escapes', () => {
    const long = LINE.replace('hello', '\\n'.repeat(MANY));
    expect(decodeLines(long)?.[0]?.content).toHaveLength(MANY);
    expect(decodeLines(long.slice(0, -3))).toBeUndefined();
  });
});
