import { describe, expect, test } from 'vitest';
import {
  decodeFixed,
  decodeHead,
  decodeState,
  encodeHead,
  encodeOrigin,
  encodeState,
  statusLetter,
  statusOfLetter,
} from '../../../adapters/redis/record-text.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { sessionStatuses } from '../../../src/session/session-status.js';
import { ended, headOf, live, NOON } from '../../../src/testing/samples.js';

const FOREVER = Number.POSITIVE_INFINITY;
const NEVER = '9007199254740991';
const BIRTH = 'write-id-_12';

const active = live('ACTIVE', {
  ...{ revision: 2, since: 1000, activeMs: 7, limitMs: 60_000, deadline: 61_000 },
  operations: ['b', 'a:1'],
});

/** The line that a session has which was created with `state`. */
const lineOf = (state: StateRecord, writes = ''): string => {
  const { start, end } = encodeState(state);
  return `${start}${encodeOrigin(BIRTH, { ...state, revision: 1 }, NOON)}${end}${writes}`;
};

const activeLine = `2 0000000000061000 1 0000000000000002 A ${BIRTH} 0000000000000001 00${NOON} 1000 7 60000 - =b,a:1 `;

describe('the line of a state', () => {
  // Records of today must be read by every later version of this format.
  test.each<[string, StateRecord, string]>([
    ['an ACTIVE one', active, activeLine],
    [
      'one without limit and deadline',
      { ...active, status: 'PAUSED', limitMs: FOREVER, deadline: FOREVER, operations: [] },
      `2 ${NEVER} 1 0000000000000002 P ${BIRTH} 0000000000000001 00${NOON} 1000 7 ${NEVER} - = `,
    ],
    [
      'one that is IDLE',
      { ...active, status: 'IDLE', deadline: FOREVER, operations: [] },
      `2 ${NEVER} 0 0000000000000002 I ${BIRTH} 0000000000000001 00${NOON} 1000 7 60000 - = `,
    ],
    [
      'one that has ended',
      { ...active, status: 'TERMINATED', endReason: 'time_limit', deadline: FOREVER },
      `2 ${NEVER} 0 0000000000000002 T ${BIRTH} 0000000000000001 00${NOON} 1000 7 60000 time_limit =b,a:1 `,
    ],
  ])('is this for %s, and says it', (_, state, line) => {
    expect(lineOf(state)).toBe(line);
    for (const text of [line, `${line}\n`, `${line}\n{"id":"one"}`, `${line}aaaaaaaaaaaa:2:P,bbbbbbbbbbbb:7:251,\n`]) {
      expect(decodeState(text)).toMatchObject({ state, birth: BIRTH, changes: 2 });
    }
  });

  test('says which write was the last, and which status was there before', () => {
    const lastWriteOf = (writes: string) => {
      const decoded = decodeState(lineOf(active, writes));
      return typeof decoded === 'object' ? decoded.lastWrite : decoded;
    };
    expect(lastWriteOf('')).toBeUndefined();
    expect(lastWriteOf('aaaaaaaaaaaa:12:P,bbbbbbbbbbbb:7:I,')).toEqual({ sequence: 12, before: 'P' });
    expect(lastWriteOf('aaaaaaaaaaaa:1:-,')).toEqual({ sequence: 1, before: '-' });
  });

  test('of a session that was removed says that', () => {
    const writes = 'aaaaaaaaaaaa:9:-,bbbbbbbbbbbb:8:251,name-of-an-id:7:I,';
    expect(decodeState(`${activeLine.replace(' A ', ' G ').replace('=b,a:1', '=')}${writes}`)).toBe('removed');
  });

  test.each([1, 3, 6, 7, 8, 9, 10])('is none where field %i is no whole number in digits', (place) => {
    for (const junk of ['', '-1', '+1', '1.5', '1e3', 'x', 'NaN', 'Infinity', '/', '0x1']) {
      expect(decodeState(activeLine.split(' ').with(place, junk).join(' '))).toBeUndefined();
    }
  });

  test.each([
    [0, ['', '0', '1', '3', '22', 'x']],
    [1, ['61000', '1'.repeat(15), '1'.repeat(17)]],
    [2, ['', '2', 'x', '00']],
    [4, ['', 'a', 'X', 'AA', 'T']],
    [5, ['', 'short', 'write id 12', `${BIRTH}3`, 'write/id/123']],
    [11, ['', '--', 'failed', 'terminated']],
    [12, ['b,a', '=b/a', '=b a', '']],
    [13, ['{"id":"one"}', 'w/1:2:P,']],
  ] as const)('is none where field %i is one of %j', (place, junk) => {
    for (const other of junk) {
      expect(decodeState(activeLine.split(' ').with(place, other).join(' '))).toBeUndefined();
    }
  });

  test('is none where the reason of an end is none', () => {
    for (const reason of ['-', '', 'expired', 'Failed']) {
      expect(decodeState(lineOf(ended('failed')).replace('failed', reason))).toBeUndefined();
    }
  });
});

describe('the fields of fixed width', () => {
  test('say what a reader of deadlines needs to know', () => {
    const fields = { status: 'ACTIVE', deadline: 61_000, createdMs: NOON };
    expect(decodeFixed(activeLine.slice(0, 86))).toEqual(fields);
    expect(decodeFixed(activeLine)).toEqual(fields);
    expect(decodeFixed(lineOf(live('IDLE')).slice(0, 86))).toMatchObject({ status: 'IDLE', deadline: FOREVER });
  });

  test('are removed where there is no session, and nothing where they cannot be read', () => {
    expect(decodeFixed('')).toBe('removed');
    expect(decodeFixed(activeLine.replace(' A ', ' G '))).toBe('removed');
    for (const junk of ['corrupt', activeLine.slice(0, 85), activeLine.slice(1), activeLine.replace(' A ', ' X ')]) {
      expect(decodeFixed(junk)).toBeUndefined();
    }
  });
});

describe('the letter of a status', () => {
  test('is of that one alone', () => {
    for (const status of sessionStatuses) expect(statusOfLetter(statusLetter(status))).toBe(status);
    for (const junk of ['', 'G', 'i', '-', 'constructor', 'IA']) expect(statusOfLetter(junk)).toBeUndefined();
  });
});

describe('the head of a record', () => {
  const head = headOf('one', NOON, { timeLimit: 60, context: '"\n' });
  const text = `${activeLine}\n${encodeHead(head)}`;

  test('is the JSON behind the line', () => {
    expect(encodeHead(head)).toBe(
      '{"id":"one","options":{"face":"ada","profile":"tutor","context":"\\"\\n","behavior":"","timeLimit":60},' +
        '"createdAt":"2026-01-31T12:00:00.000Z"}',
    );
    expect(decodeHead('one', text)).toEqual(head);
  });

  test.each([
    ['another session\u2019s', text.replace('"one"', '"two"')],
    ['cut', text.slice(0, -1)],
    ['none', activeLine],
    ['null', `${activeLine}\nnull`],
    ['a list', `${activeLine}\n[]`],
    ['without options', text.replace('"options"', '"optionen"')],
    ['without a face', text.replace('"face"', '"phase"')],
    ['with a number for a text', text.replace('"tutor"', '1')],
    ['with a text for a number', text.replace('"timeLimit":60', '"timeLimit":"60"')],
    ['without a time', text.replace('"createdAt"', '"made"')],
    ['with options that are a list', text.replace(/\{"face".*?\}/, '[]')],
  ])('is nothing where it is %s', (_, damaged) => {
    expect(decodeHead('one', damaged)).toBeUndefined();
  });
});
