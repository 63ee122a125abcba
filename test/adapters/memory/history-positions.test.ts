import { describe, expect, test } from 'vitest';
import {
  entriesUpTo,
  entriesUpToCurrent,
  isSuperseded,
} from '../../../adapters/memory/history-positions.js';

describe('a position in a history that was rewound', () => {
  // Three entries, a rewind to the first with two entries, and another to the beginning of these
  // two.
  const at = [1, 8, 9];
  const positions = { entries: 3, end: 9, positionOf: (number: number) => at[number - 1] ?? 0 };

  test("is current if it is the beginning, the end, an entry's, or that of a rewind before an entry", () => {
    expect([0, 1, 7, 8, 9].map((position) => entriesUpToCurrent(positions, position))).toEqual([
      0, 1, 1, 2, 3,
    ]);
  });

  test('is superseded otherwise, and resumes between the entries around it', () => {
    for (const position of [2, 3, 4, 5, 6]) {
      expect(isSuperseded(positions, position)).toBe(true);
      expect(entriesUpTo(positions, position)).toBe(1);
    }
  });
});
