import { describe, expect, test } from 'vitest';
import {
  decodeJournal,
  decodeLines,
  decodeTail,
  encodeEntries,
  MARK_LENGTH,
} from '../../../adapters/redis/journal-text.js';
import { say } from '../../../src/testing/samples.js';

const ENTRY = '{"role":"user","content":"hello","timestamp":"2026-01-31T18:00:03.000Z"},\n';
const entry = { role: 'user', content: 'hello', timestamp: '2026-01-31T18:00:03.000Z' };

/** The mark behind an append: how many there are, the number of the change, and how many entries there are. */
const mark = (appends: number, number: number, entries: number, id = 'write-id-_12'): string =>
  `"${id}:${[appends, number, entries].map((count) => count.toString(16).padStart(6, '0')).join(':')}",\n`;

const journal = ENTRY + mark(1, 3, 1) + ENTRY + ENTRY + mark(2, 5, 3, 'name.1:~-/write-id-_34');

/** More escapes than a regular expression has stack for. */
const MANY = 6_000_000;

describe('the text of a journal', () => {
  // Histories of today must be read by every later version of this format.
  test('says the entries, and how many there are', () => {
    expect(decodeJournal(journal)).toEqual({ entries: [entry, entry, entry], appends: 2, count: 3, marks: 2 });
    expect(encodeEntries([entry])).toBe(ENTRY);
    expect(MARK_LENGTH).toBe(mark(1, 1, 1).length - 1);
  });

  test('is empty before the first entry', () => {
    expect(decodeJournal('')).toEqual({ entries: [], appends: 0, count: 0, marks: 0 });
  });

  test('has more entries than six digits tell apart', () => {
    expect(decodeLines(mark(0xabcdef, 0xffffff, 0xfedcba))).toMatchObject({ appends: 0xabcdef, count: 0xfedcba });
  });

  test.each(['\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\uD83D', '\u2028', '\\"w:000001:000002:000003\\",', '{', '[1]'])(
    'takes the text %s',
    (text) => {
      const decoded = decodeJournal(journal.replace('hello', text));
      expect(decoded?.entries[0]?.content).toBe(JSON.parse(`"${text}"`));
    },
  );

  test.each(['"', '\\', '\\x', '\\u12', '\\u12G4', '\\U0041', '\n', '\0', '\u001f', 'a\\n"', '\\a'])(
    'does not take the text %j',
    (text) => {
      expect(decodeJournal(journal.replace('hello', text))).toBeUndefined();
    },
  );

  test.each([
    ['something before it', ` x${journal}`],
    ['half of a line', journal.slice(0, -3)],
    ['a word after it', `${journal}x`],
    ['an empty line', `${journal}\n,\n`],
    ['a line that is no entry', `${journal}{"role":"user"},\n`],
    ['an entry with a number', journal.replace('"hello"', '1')],
    ['a line of something else', `${ENTRY}null,\n${mark(1, 2, 1)}`],
    ['a list for an entry', `["role","content","timestamp"],\n${mark(1, 2, 1)}`],
    ['an entry behind the last mark', journal + ENTRY],
    ['an entry less than its last mark counts', ENTRY + mark(1, 3, 2)],
    ['an entry more than its last mark counts', ENTRY + ENTRY + mark(1, 3, 1)],
    ['a mark less than its last one counts', ENTRY + ENTRY + mark(2, 4, 2)],
    ['no mark', ENTRY],
    ['no line but a comma', ',\n'],
    ['another end than a comma', `${journal.slice(0, -2)};\n`],
    ['another end than a line feed', `${journal.slice(0, -1)}x`],
    ['a mark of another form', `${ENTRY}"write-id-_12:1:2:1",\n`],
    ['a mark that is cut', `${ENTRY}"write-id-_12:000001:000002",\n`],
    ['a mark with capitals', ENTRY + mark(10, 10, 1).toUpperCase()],
  ])('is none with %s', (_, text) => {
    expect(decodeJournal(text)).toBeUndefined();
  });

  test('gives its reader entries of its own', () => {
    const [first] = decodeJournal(journal)?.entries ?? [];
    const [again] = decodeJournal(journal)?.entries ?? [];
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    expect(Object.isFrozen(again)).toBe(false);
  });

  test('is read with millions of escapes, and is none with half of its last line', () => {
    const long = journal.replace('hello', '\\n'.repeat(MANY));
    expect(decodeJournal(long)?.entries[0]?.content).toHaveLength(MANY);
    expect(decodeJournal(long.slice(0, -3))).toBeUndefined();
  });
});

describe('the end of a journal', () => {
  const text = encodeEntries([say('\u20AC one')]) + mark(1, 3, 1) + encodeEntries([say('two')]) + mark(2, 4, 2);

  test('begins within a line or with one, and says the entries that are whole', () => {
    for (let length = mark(2, 4, 2).length + 1; length < text.length; length += 1) {
      const decoded = decodeTail(text.slice(-length));
      expect(decoded).toMatchObject({ appends: 2, count: 2 });
      expect(decoded?.entries).toEqual([say('one'), say('two')].slice(2 - (decoded?.entries.length ?? 0)));
    }
  });

  test.each([
    ['half of a line at its end', text.slice(0, -3)],
    ['an entry behind its last mark', text + ENTRY],
    ['more entries than its last mark counts', `x\n${ENTRY}${ENTRY}${mark(1, 2, 1)}`],
    ['a line of something else', `x\nnull,\n${mark(1, 2, 1)}`],
  ])('is none with %s', (_, damaged) => {
    expect(decodeTail(damaged)).toBeUndefined();
  });
});
