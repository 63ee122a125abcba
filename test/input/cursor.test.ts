import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cursorOf, positionOfCursor } from '../../src/input/cursor.js';
import { parseListQuery } from '../../src/input/list-query.js';
import { LATEST } from '../../src/session/clock.js';
import { strange } from '../support/hostile-values.js';

const read = (value: unknown) => parseListQuery({ cursor: value }).map(({ cursor }) => cursor);

const id = fc.string({
  minLength: 1,
  maxLength: 256,
  unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

describe('a list cursor', () => {
  test('encodes any time and any id in URL-safe characters', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LATEST }), id, (ms, name) => {
        const place = { at: new Date(ms).toISOString(), id: name };
        const cursor = cursorOf(place);
        expect(cursor).toMatch(/^[\w.~-]+$/);
        expect(read(cursor)._unsafeUnwrap()).toEqual(place);
        const byUpdate = cursorOf(place, true);
        expect(byUpdate).toMatch(/^[\w.~-]+$/);
        expect(positionOfCursor(byUpdate, true)).toEqual(place);
        expect([positionOfCursor(cursor, true), positionOfCursor(byUpdate)]).toEqual([
          undefined,
          undefined,
        ]);
      }),
    );
  });

  const cursor = cursorOf({ at: '2026-01-31T12:00:00.000Z', id: 's1' });

  test.each([
    '',
    '.',
    's1',
    'zzzzzzzzzz.s1',
    '0.',
    '.s1',
    '00.s1',
    '-1.s1',
    '0.~0061',
    '0.~zzzz',
    '0.a b',
    'NaN.s1',
    `${cursor}\n`,
    ` ${cursor}`,
    cursor.toUpperCase(),
    `0.${'x'.repeat(10_000_000)}`,
  ])('is not parsed from %.40j', (text) => {
    expect(read(text).isErr()).toBe(true);
  });

  test.each(['a number', 'null', ...Object.keys(strange)])(
    'must be a string, and not %s',
    (kind) => {
      const others: Readonly<Record<string, unknown>> = { 'a number': 5, null: null };
      expect(read(strange[kind]?.() ?? others[kind]).isErr()).toBe(true);
    },
  );
});
