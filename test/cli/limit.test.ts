import { expect, test } from 'vitest';
import { Options } from '../../src/cli/options.js';

const limitOf = (...args: readonly string[]): number =>
  new Options({ help: '  --limit N  How many.', operands: 0 }, args, {}).limit(
    'limit',
    1_000_000,
    20,
  );

test('--limit above the maximum counts as the maximum', () => {
  const limits = ['1', '1000000', '1000001', '99999999999', '9'.repeat(400)];
  expect(limits.map((limit) => limitOf('--limit', limit))).toEqual([
    1, 1_000_000, 1_000_000, 1_000_000, 1_000_000,
  ]);
  expect(limitOf()).toBe(20);
});

test.each(['0', '-1', '1.5', '1e3', 'x', ''])('--limit=%s is rejected', (limit) => {
  expect(() => limitOf(`--limit=${limit}`)).toThrow('--limit must be a whole number, at least 1');
});
