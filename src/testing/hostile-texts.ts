/**
 * Tenants and ids that break code which builds keys, patterns or paths from them. All are
 * different, although some become equal if they are cut, escaped, folded, normalised or forced into
 * UTF-8.
 */
export const hostileNames: readonly string[] = [
  ['a', 'A', 'aa', 'b', 'a:b', 'a:b:c', 'b:c', ':', '::', 'a,b', 'a;b', 'a|b', 'a#b', 'a@b'],
  ['{', '}', '{}', '{a}', '{a}:b', 'a}{b', '*', '?', '[ab]', '[^a]', 'a*', '\\', '\\*', '(a', '[a'],
  ['a%3Ab', 'a%253Ab', '%', '%s', '%00', '%41', '%1'],
  [' ', ' a', 'a ', 'a b', '\t', '\n', 'a\nb', '\r\n', '\0', 'a\0', 'a\0b'],
  [
    '/',
    '..',
    '.',
    '../a',
    '-',
    '-inf',
    '+inf',
    '0',
    '-1',
    '1e3',
    'NaN',
    'null',
    'undefined',
    'true',
  ],
  ['""', '"a"', "'a'", '`a`', '["a","b"]', '<a>'],
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then'],
  ['\u00E9', 'e\u0301', '\u0130', '\uFEFFa', '\u200B', '\u2028', '\uFFFD', '\uFFFF'],
  ['\u{1F600}', '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'],
  ['\uD83D', '\uDE00', '\uDE00\uD83D', '\uD800', '\uDFFF', 'a\uD800'],
  ['state', 'journal', 'index'],
  ['x'.repeat(255), 'x'.repeat(256), ':'.repeat(256), '\u20AC'.repeat(256)],
].flat();

/** Strings that break code which escapes, splits, counts or parses them. */
export const hostileTexts: readonly string[] = [
  ['', ' ', '    ', ' leading and trailing ', '\t \t\t  \t', '\n', '\r\n\r\n', 'a\nb\n'],
  ['"abc",', '\n"abc",\n', '"abc",\n"abc",\n', '},\n'],
  ['},\n{"role":"user","content":"not said","timestamp":"2026-01-31T12:00:00.000Z"},\n'],
  ['"', '""', '\\', '\\"', '\\n', '\\u0000', '\\\\u0000'],
  ['{"role":"user","content":"{\\"role\\":\\"user\\"}"}', '[[[]]]', ']', 'null', '0', '-0', 'NaN'],
  ['\0', 'a\0b\0', '\u0001\u001F\u007F\u0080', '\u2028\u2029', '\uFEFF', '\uFFFD\uFFFE\uFFFF'],
  ['\u{1F600}\u{10FFFF}', '\uD83D', 'a\uDE00b', '\uDE00\uD83D', 'e\u0301 \u00E9'],
  ['__proto__', '%s %d %% %1 %0', '$1 $& $$', '*3\r\n$3\r\nSET\r\n', '<script>alert(1)</script>'],
  ["'; DROP TABLE sessions; --", 'return redis.call("FLUSHALL")'],
].flat();
