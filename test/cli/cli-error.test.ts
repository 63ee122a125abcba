import { expect, test } from 'vitest';
import { messageOf } from '../../src/cli/cli-error.js';

test('a connection error shows its reason even if the host has several addresses, as localhost often has', () => {
  const refused = new AggregateError([
    new Error('connect ECONNREFUSED ::1:80'),
    new Error('connect ECONNREFUSED 127.0.0.1:80'),
  ]);
  expect(messageOf(refused)).toBe('connect ECONNREFUSED ::1:80');
  expect(messageOf(new TypeError('fetch failed', { cause: refused }))).toBe(
    'connect ECONNREFUSED ::1:80',
  );
});
