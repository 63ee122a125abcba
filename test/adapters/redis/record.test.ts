import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeRecord, HEADER_BYTES } from '../../../adapters/redis/record.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { ended, headOf, live, NOON } from '../../../src/testing/samples.js';

const INCARNATION = 'write-id-_12';
const NEVER = '9007199254740991';
const ZERO = '0'.repeat(16);

const head = headOf('one', NOON, { timeLimit: 60 });
const labels = { user: 'u:1', channel: 'w\u00E9b' };
const terms = {
  idleTimeoutMs: 900_000,
  inactivityTimeoutMs: 30_000,
  retentionMs: Number.POSITIVE_INFINITY,
  graceMs: 0,
  reportEnds: true,
};
const lease = { holder: 'worker', fencingToken: 3, takenAt: 4, until: 5 };
const active = live('ACTIVE', {
  ...{
    revision: 2,
    since: 1000,
    lastActivityAt: 1234,
    activeMs: 7,
    limitMs: 60_000,
    deadline: 61_000,
    lease,
    terms,
    labels,
  },
  operations: ['b', 'a:1'],
});

const HEAD =
  '{"id":"one","options":{"face":"ada","profile":"tutor","behavior":"","context":"","timeLimit":60},' +
  '"createdAt":"2026-01-31T12:00:00.000Z"}';
const ACTIVITY = '0000000000001234';
const COUNTS = `${INCARNATION} 00${NOON} 0000000000 0000000001 0000000000 000000000000 000000000000 000000000000`;
const record =
  `3 A 1 0000000000061000 0000000000000000 0000000000061000 0000000000000002 0000000000000003 0000000000000005 0000000000060000 0000000000030000 ${ACTIVITY} ` +
  `${COUNTS} 0000000428 ` +
  'user=u%003a1 channel=w%00e9b\n' +
  '{"status":"ACTIVE","revision":2,"since":1000,"activeMs":7,"limitMs":60000,"deadline":61000,' +
  '"operations":["b","a:1"],"terms":{"idleTimeoutMs":900000,"inactivityTimeoutMs":30000,"reportEnds":true},' +
  `"lease":{"holder":"worker","fencingToken":3,"takenAt":4,"until":5}}\n${HEAD}`;

describe('a record', () => {
  // Records of today must be read by every later version of this format.
  test('is this text', () => {
    expect(encodeRecord(INCARNATION, head, active)).toBe(record);
    expect(decodeRecord('one', record)).toEqual({
      head,
      state: active,
      owesReport: true,
      incarnation: INCARNATION,
      sequence: 1,
      entries: 0,
      bytes: 0,
      span: 0,
      shown: 0,
    });
  });

  test.each<[string, StateRecord, string]>([
    ['I', live('IDLE'), `${ZERO} ${ZERO} ${NEVER} 0000000000000001 ${ZERO} ${ZERO}`],
    ['A', live('ACTIVE'), `${NEVER} ${ZERO} ${NEVER} 0000000000000001 ${ZERO} ${ZERO}`],
    [
      'P',
      live('PAUSED', { deadline: 9 }),
      `${ZERO.slice(1)}9 ${ZERO} ${ZERO.slice(1)}9 0000000000000001 ${ZERO} ${ZERO}`,
    ],
    ['T', ended('failed', { revision: 12 }), `${ZERO} ${ZERO} ${NEVER} 0000000000000012 ${ZERO} ${ZERO}`],
  ])('says when a session with the letter %s takes history, and when it is due', (letter, state, times) => {
    const text = encodeRecord(INCARNATION, head, state);
    const [line = ''] = text.split('\n');
    expect(line).toBe(
      `3 ${letter} 0 ${times} ${NEVER} ${NEVER} 000${NOON} ${COUNTS} ${String(text.length - HEADER_BYTES).padStart(10, '0')} `,
    );
    expect(decodeRecord('one', text)).toMatchObject({ head, state });
    expect(decodeRecord('one', text)?.state).not.toHaveProperty('labels');
  });

  test('counts its size in bytes', () => {
    const text = encodeRecord(
      INCARNATION,
      { ...head, options: { ...head.options, context: '\u20AC\u{1F600}' } },
      active,
    );
    const size = Number(text.slice(HEADER_BYTES - 11, HEADER_BYTES - 1));
    expect(size).toBe(Buffer.byteLength(text) - HEADER_BYTES);
  });

  test('counts the entries and the length of the journal', () => {
    const counted = record.replace(
      '0000000001 0000000000 000000000000 000000000000 000000000000',
      '0000000007 0000000003 000000000222 000000000100 000000000111',
    );
    expect(decodeRecord('one', counted)).toMatchObject({ sequence: 7, entries: 3, bytes: 222, span: 100, shown: 111 });
  });

  test.each(Array.from({ length: 21 }, (_, at) => at))('is none with junk in field %i', (place) => {
    const fields = record.slice(0, HEADER_BYTES - 1).split(' ');
    const width = fields[place]?.length ?? 0;
    const junks = ['', '-1', '+1', '1.5', '1e3', 'NaN', 'Infinity', '0x1', 'x y', '\0', '\u20AC', '9'.repeat(40)];
    for (const junk of [...junks, ' '.repeat(width), '.'.repeat(width), '/'.repeat(width)]) {
      const text = fields.with(place, junk).join(' ') + record.slice(HEADER_BYTES - 1);
      expect(decodeRecord('one', text)).toBeUndefined();
    }
  });

  test.each([
    ['empty', ''],
    ['of an earlier version', record.replace('3', '2')],
    ['of a later version', record.replace('3', '4')],
    ['of no status', record.replace(' A ', ' X ')],
    ['cut', record.slice(0, -1)],
    ['without its last line', record.slice(0, record.lastIndexOf('\n'))],
    ['without its state', record.split('\n').with(1, '').join('\n')],
    ['with a state of another form', record.replace('"revision":2', '"revision":"2"')],
    ['with an end without reason', record.replace('"ACTIVE"', '"TERMINATED"')],
    ['with terms of another form', record.replace('"reportEnds":true', '"reportEnds":1')],
    ['with a lease of another form', record.replace('"until":5', '"until":null')],
    ['another session\u2019s', record.replace('"one"', '"two"')],
    ['without options', record.replace('"options"', '"optionen"')],
    ['with a number for a text', record.replace('"tutor"', '1')],
    ['without a time', record.replace('"createdAt"', '"made"')],
    ['with a label without a value', record.replace('user=u%003a1', 'user')],
    ['with a label of another form', record.replace('user=', 'user name=')],
    ['with two spaces between labels', record.replace(' channel', '  channel')],
    ['null', 'null'],
    ['one line', record.replaceAll('\n', ' ')],
  ])('is none where it is %s', (_, text) => {
    expect(decodeRecord('one', text)).toBeUndefined();
  });

  test('is read in linear time, however long the junk is', () => {
    for (const unit of ['\n', ' ', '3 A ', '{', '%', '=']) {
      expect(decodeRecord('one', record.slice(0, HEADER_BYTES) + unit.repeat(1_000_000))).toBeUndefined();
    }
  });
});
