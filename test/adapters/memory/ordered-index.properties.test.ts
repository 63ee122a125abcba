import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OrderedIndex } from '../../../adapters/memory/ordered-index.js';

const ascending = (a: number, b: number): number => a - b;

/** Inserts and removes, and compares pages with those of a sorted array as it goes. */
const expectLikeArray = (
  steps: readonly { readonly insert: boolean; readonly value: number }[],
): void => {
  const index = new OrderedIndex(ascending);
  const array = new Set<number>();
  for (const [at, { insert, value }] of steps.entries()) {
    if (!insert) index.remove(value);
    else if (!array.has(value)) index.insert(value);
    if (insert) array.add(value);
    else array.delete(value);
    if (at % 50 !== 0 && at !== steps.length - 1) continue;
    const sorted = [...array].sort(ascending);
    expect(index.size).toBe(sorted.length);
    for (const start of [0, value % 97, sorted.length >>> 1, sorted.length - 3]) {
      const end = start + (value % 151);
      expect(index.slice(start, end)).toEqual(sorted.slice(Math.max(0, start), Math.max(0, end)));
    }
    for (const bound of [
      Number.NEGATIVE_INFINITY,
      value,
      value + 0.5,
      sorted[sorted.length >>> 1] ?? 0,
      2 ** 31,
    ]) {
      expect(index.leading((item) => item < bound)).toBe(
        sorted.filter((item) => item < bound).length,
      );
    }
  }
};

const step = (value: fc.Arbitrary<number>, removals: number) =>
  fc.record({ insert: fc.integer({ min: 0, max: 99 }).map((dice) => dice >= removals), value });

describe('an ordered index', () => {
  test.each([
    ['grows at random', fc.nat({ max: 100_000 }), 5],
    ['is full of what comes again', fc.nat({ max: 400 }), 45],
  ] as const)('returns the pages of a sorted array when it %s', (_, values, removals) => {
    const steps = fc.array(step(values, removals), { minLength: 1500, maxLength: 3000 });
    fc.assert(fc.property(steps, expectLikeArray), { numRuns: 15 });
  });

  test.each([
    ['up, and most go again', 1, 3],
    ['down, and most go again', -1, 3],
    ['up, and nearly all go again', 1, 50],
    ['down, and nearly all go again', -1, 50],
  ])('returns the pages of a sorted array when items come in order, %s', (_, direction, kept) => {
    const come = Array.from({ length: 10_000 }, (_, at) => ({
      insert: true,
      value: at * direction,
    }));
    const go = come
      .filter((_, at) => at % kept !== 0)
      .map(({ value }) => ({ insert: false, value }));
    expectLikeArray([...come, ...go, ...come.slice(0, 100)]);
  });

  // Nodes that run empty next to full ones, and gaps that are filled again, in a tree of three
  // levels.
  test('returns the pages of a sorted array when runs of neighbours and missing items are removed', () => {
    const run = fc.record({
      insert: fc.boolean(),
      from: fc.nat({ max: 9000 }),
      length: fc.integer({ min: 1, max: 3000 }),
      upwards: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(run, { minLength: 10, maxLength: 25 }), (runs) => {
        const index = new OrderedIndex(ascending);
        const there = new Set<number>();
        for (const { insert, from, length, upwards } of [
          { insert: true, from: 0, length: 10_000, upwards: true },
          ...runs,
        ]) {
          for (let at = 0; at < length; at += 1) {
            const value = upwards ? from + at : from + length - at;
            if (!insert) index.remove(value);
            else if (!there.has(value)) index.insert(value);
            if (insert) there.add(value);
            else there.delete(value);
          }
          const sorted = [...there].sort(ascending);
          expect(index.size).toBe(sorted.length);
          expect(index.slice(0, index.size)).toEqual(sorted);
          expect(index.slice(from >>> 1, length)).toEqual(sorted.slice(from >>> 1, length));
        }
      }),
      { numRuns: 6 },
    );
  });
});
