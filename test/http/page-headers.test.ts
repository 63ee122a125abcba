import { describe, expect, test } from 'vitest';
import { pageHeaders } from '../../src/http/page-headers.js';

const unreadable = (ids: readonly string[]) =>
  pageHeaders('/sessions', { sessions: [], total: 1, limit: 10, page: 1, unreadable: ids })['X-Unreadable-Sessions'];

describe('X-Unreadable-Sessions', () => {
  test('is there only if there is something to say', () => {
    expect(unreadable([])).toBeUndefined();
    expect(unreadable(['a', 'b'])).toBe('a,b');
  });

  test('holds ids of any characters, as a path would', () => {
    expect(unreadable(['a,b', 'c\r\nX: y', 'é', '\ud800'])).toBe('a%2Cb,c%0D%0AX%3A%20y,%C3%A9,%EF%BF%BD');
  });

  test('names no more than clients take in a header', () => {
    const text = String(unreadable(Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(98)}`)));
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.split(',').length).toBeGreaterThan(35);
  });
});
