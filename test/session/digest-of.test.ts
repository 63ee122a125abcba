import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIGEST_LENGTH, digestOf } from '../../src/session/digest-of.js';

test('a digest never changes, since stores keep it', () => {
  expect([
    digestOf(''),
    digestOf('hello'),
    digestOf('h\u00E9llo \u{1F600}\ud800'),
  ]).toMatchInlineSnapshot(`
    [
      "1aee8d83488bdcb8",
      "63cd7226bfb06f3a",
      "e3c8f05c564e9e96",
    ]
  `);
});

test('different texts have different digests of the same form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(digestOf(a)).toMatch(new RegExp(`^[0-9a-f]{${DIGEST_LENGTH}}$`));
      expect(digestOf(a) === digestOf(b)).toBe(a === b);
    }),
  );
  const digests = Array.from({ length: 100_000 }, (_, at) =>
    digestOf(`[{"role":"user","content":"turn ${at}"}]`),
  );
  expect(new Set(digests).size).toBe(digests.length);
});
