import { afterEach, expect, test, vi } from 'vitest';
import { cutText } from '../../src/session/cut-text.js';

const family = '👨‍👩‍👧‍👦';

afterEach(() => void vi.unstubAllGlobals());

test.each([
  ['a text that fits', 'abc', 3, 'abc'],
  ['plain letters', 'abcdef', 3, 'abc'],
  ['an emoji', 'ab😀', 3, 'ab'],
  ['a ZWJ sequence', `ab${family}c`, 9, 'ab'],
  ['a flag after flags', '🇩🇪🇫🇷🇮🇹', 6, '🇩🇪'],
  ['a sequence that fits exactly', `${family}c`, family.length, family],
  ['an accent without end', `a${'\u0301'.repeat(99)}`, 40, `a${'\u0301'.repeat(39)}`],
])('cutText keeps characters whole: %s', (_, text, length, expected) => {
  expect(cutText(text, length)).toBe(expected);
});

test('cutText keeps surrogate pairs whole where Intl has no Segmenter', () => {
  vi.stubGlobal('Intl', { ...Intl, Segmenter: undefined });
  expect(cutText('ab😀', 3)).toBe('ab');
});
