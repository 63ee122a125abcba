import { describe, expect, test } from 'vitest';
import { decodeGrownJournal, decodeJournal } from '../../../adapters/redis/journal-text.js';

const HEAD =
  '{"id":"s1","options":{"face":"ada","profile":"tutor","context":"","behavior":"","time_limit":60},' +
  '"created_at":"2026-01-31T18:00:02.000Z"},\n';
const ENTRY = '{"role":"user","content":"hello","timestamp":"2026-01-31T18:00:03.000Z"},\n';
const MARK = '"w.1~:-_A",\n';
const journal = HEAD + MARK + ENTRY + MARK;

const entry = { role: 'user', content: 'hello', timestamp: '2026-01-31T18:00:03.000Z' };

/** More escapes than a regular expression has stack for. */
const MANY = 6_000_000;

describe('the text of a journal', () => {
  // Records of today must be read by every later version of this format.
  test('says the head and the entries, and none of the marks', () => {
    const decoded = decodeJournal(journal);
    expect(decoded?.head).toEqual({
      id: 's1',
      optionsJson: HEAD.slice('{"id":"s1","options":'.length, HEAD.indexOf(',"created_at"')),
      createdAt: '2026-01-31T18:00:02.000Z',
    });
    expect(decoded?.head.options).toEqual({ face: 'ada', profile: 'tutor', context: '', behavior: '', timeLimit: 60 });
    expect(decoded?.history.entries()).toEqual([entry]);
    expect(decoded?.history.json()).toBe(`[${ENTRY.slice(0, -2)}]`);
  });

  test('has no history before somebody has spoken', () => {
    for (const text of [HEAD, HEAD + MARK]) {
      expect(decodeJournal(text)?.history.entries()).toEqual([]);
      expect(decodeJournal(text)?.history.json()).toBe('[]');
    }
  });

  test.each(['0', '-1', '1.5', '0.25', '1e3', '1e+21', '1.5e-7', '10', '-0.5', '12.50'])(
    'takes the number %s as a time limit',
    (number) => {
      expect(decodeJournal(journal.replace('60', number))?.head.options.timeLimit).toBe(Number(number));
    },
  );

  test.each(['', '01', '+1', '1.', '.5', '1e', '1e+', 'e3', '--1', '0x1', '1 ', 'null', '"60"', 'NaN', '-'])(
    'does not take the number %j',
    (number) => {
      expect(decodeJournal(journal.replace('60', number))).toBeUndefined();
    },
  );

  test.each([
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\r',
    '\\t',
    '\\u00e9',
    '\\uD83D',
    '\\u000A',
    '\\n\\nx\\t',
    'a\\nb',
    '\u2028',
  ])('takes the text %s', (text) => {
    expect(decodeJournal(journal.replace('hello', text))?.history.entries()[0]?.content).toBe(JSON.parse(`"${text}"`));
    expect(decodeJournal(journal.replace('ada', text))?.head.options.face).toBe(JSON.parse(`"${text}"`));
  });

  test.each(['"', '\\', '\\x', '\\u12', '\\u12G4', '\\U0041', '\n', '\0', '\u001f', 'a\\n"', '\\a', 'a\\nb\n'])(
    'does not take the text %j',
    (text) => {
      expect(decodeJournal(journal.replace('hello', text))).toBeUndefined();
      expect(decodeJournal(journal.replace('ada', text))).toBeUndefined();
    },
  );

  test.each([
    ['something before it', ` ${journal}`],
    ['a line before it', MARK + journal],
    ['no head', MARK + ENTRY],
    ['half of a line', journal.slice(0, -1)],
    ['half of a head', HEAD.slice(0, -1)],
    ['a word after it', `${journal}x`],
    ['an empty line', `${journal}\n`],
    ['a line that is no entry', `${journal}{"role":"user"},\n`],
    ['a line with more than an entry', journal.replace('"},\n"w', '","x":1},\n"w')],
    ['a second head', journal + HEAD],
    ['a mark without characters', `${journal}"",\n`],
    ['a mark of other characters', `${journal}"w 1",\n`],
    ['a date of other characters', journal.replace('2026-01-31T18:00:02.000Z', '2026-01-31 18:00')],
    ['no date', journal.replace('2026-01-31T18:00:02.000Z', '')],
  ])('is none with %s', (_, text) => {
    expect(decodeJournal(text)).toBeUndefined();
  });

  test('has marks at the beginnings of lines alone', () => {
    const content = '\\"w1\\",';
    const { history } = decodeJournal(journal.replace('hello', content)) ?? {};
    expect(JSON.parse(history?.json() ?? '')).toEqual([{ ...entry, content: '"w1",' }]);
    expect(history?.entries()).toEqual([{ ...entry, content: '"w1",' }]);
  });
});

describe('a text that has grown', () => {
  const known = decodeJournal(HEAD + MARK + ENTRY);

  test('is read on from where it was known, looked at or not', () => {
    if (known === undefined) throw new Error('the journal is none');
    const twice = [entry, entry];
    expect(decodeGrownJournal(known.text, known)).toBe(known);
    for (let time = 0; time < 2; time += 1) {
      const grown = decodeGrownJournal(known.text + ENTRY + MARK, known);
      expect(grown?.head).toBe(known.head);
      expect(grown?.text).toBe(known.text + ENTRY + MARK);
      expect(grown?.history.entries()).toEqual(twice);
      expect(JSON.parse(grown?.history.json() ?? '')).toEqual(twice);
      expect(known.history.entries()).toEqual([entry]);
    }
    expect(decodeGrownJournal(`${known.text}x`, known)).toBeUndefined();
    expect(decodeGrownJournal(HEAD.replace('ada', 'bob'), known)?.head.options.face).toBe('bob');
  });

  test('is shared by its readers, who cannot change it', () => {
    const { head, history } = decodeJournal(journal) ?? {};
    expect(history?.entries()).toBe(history?.entries());
    expect(head?.options).toBe(head?.options);
    for (const part of [head, head?.options, history, history?.entries(), history?.entries()[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });
});

describe('a text of millions of escapes', () => {
  const long = journal.replace('hello', '\\n'.repeat(MANY));

  test('is read', () => {
    expect(decodeJournal(long)?.history.entries()[0]?.content).toHaveLength(MANY);
  });

  test.each([
    ['half of a line', long.slice(0, -1)],
    ['a line that is no JSON', `${long}{,\n`],
    ['an entry whose role is a number', long + ENTRY.replace('"user"', '1')],
    ['an entry whose content is a number', long + ENTRY.replace('"hello"', '1')],
    ['an entry whose time is a number', long + ENTRY.replace('"2026-01-31T18:00:03.000Z"', '1')],
    ['a mark with more before it', `${long}x"w1",\n`],
    ['an entry in another form', long + ENTRY.replace('hello', '\\u0068ello')],
    ['a mark with more behind it', `${long}"w1"x,\n`],
    ['nothing in a line', `${long},\n`],
    ['no object in a line', `${long}null,\n`],
  ])('is none with %s', (_, text) => {
    expect(decodeJournal(text)).toBeUndefined();
  });
});
