import { describe, expect, test } from 'vitest';
import { decodeState, encodeState, isGone } from '../../../adapters/redis/state-text.js';
import type { StateRecord } from '../../../src/session/record.js';
import { live } from '../../../src/testing/samples.js';

const FOREVER = Number.POSITIVE_INFINITY;

const active = live('ACTIVE', {
  ...{ revision: 2, since: 1000, limitMs: 60_000, deadline: 61_000 },
  operations: ['b', 'a'],
});
const activeText = '1 2 61000 ACTIVE 1000 0 60000 61000 - b,a|';

const NEVER = '9007199254740991';

describe('the text of a state', () => {
  // Records of today must be read by every later version of this format.
  test.each<[string, StateRecord, string]>([
    ['an ACTIVE one', active, activeText],
    [
      'one without limit and deadline',
      { ...active, status: 'PAUSED', limitMs: FOREVER, deadline: FOREVER, operations: [] },
      `1 2 ${NEVER} PAUSED 1000 0 ${NEVER} ${NEVER} - |`,
    ],
    [
      'one that has ended',
      { ...active, status: 'TERMINATED', endReason: 'time_limit', deadline: FOREVER },
      `1 2 0 TERMINATED 1000 0 60000 ${NEVER} time_limit b,a|`,
    ],
  ])('is this for %s, and says it', (_, state, text) => {
    expect(encodeState(state)).toBe(text);
    expect(decodeState(text)).toEqual(state);
    expect(decodeState(`${text}w1|w2,w3,`)).toEqual(state);
  });

  test.each([1, 2, 4, 5, 6, 7])('is none where field %i is no whole number in digits', (place) => {
    for (const junk of ['', '-1', '+1', '1.5', '1e3', 'x', 'NaN', 'Infinity', '/', ':', '0x1', '1'.repeat(17)]) {
      expect(decodeState(activeText.split(' ').with(place, junk).join(' '))).toBeUndefined();
    }
    expect(decodeState(activeText.split(' ').with(place, '1'.repeat(15)).join(' '))).toBeDefined();
  });

  test.each([
    [0, ['', '0', '2', '11', 'x']],
    [1, ['0']],
    [3, ['', 'active', 'ENDED', 'TERMINATED', 'IDLE,']],
    [8, ['', '--', 'failed', 'terminated']],
    [9, [',b|', 'b,|', 'b,,a|', 'b/a|', 'b,a/|', '/b,a|', 'b a|', 'b']],
  ] as const)('is none where field %i is one of %j', (place, junk) => {
    for (const other of junk) {
      expect(decodeState(activeText.split(' ').with(place, other).join(' '))).toBeUndefined();
    }
  });

  test('is none where the reason of an end is none', () => {
    for (const reason of ['-', '', 'expired', 'Failed']) {
      expect(decodeState(`1 2 0 TERMINATED 1000 0 60000 ${NEVER} ${reason} |`)).toBeUndefined();
    }
  });

  test('shares nothing that a reader could change', () => {
    for (const operations of [active.operations, []]) {
      expect(Object.isFrozen(decodeState(encodeState({ ...active, operations }))?.operations)).toBe(true);
    }
  });
});

describe('what a removal leaves', () => {
  test('is told from a state', () => {
    expect(isGone('gone|w1,')).toBe(true);
    expect(isGone('gone|')).toBe(true);
    for (const text of [activeText, 'gone', '', 'agone|', `${activeText}gone|`]) expect(isGone(text)).toBe(false);
  });
});
