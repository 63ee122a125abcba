import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../adapters/redis/record.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { ended, headOf, live, NOON } from '../../../src/testing/samples.js';

const INCARNATION = 'write-id-_12';
const NEVER = '9007199254740991';

const head = headOf('one', NOON, { timeLimit: 60 });
const labels = { user: 'u:1', channel: 'w\u00E9b' };
const terms = {
  idleTimeoutMs: 900_000,
  inactivityTimeoutMs: 30_000,
  retentionMs: Number.POSITIVE_INFINITY,
  graceMs: 0,
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
    work: { wakeAt: 1769, askedAt: 1900, inbox: 2, lease },
    terms,
    labels,
  },
  operations: ['b', 'a:1'],
});

const HEAD =
  '{"id":"one","options":{"face":"ada","profile":"tutor","behavior":"","context":"","timeLimit":60},' +
  '"createdAt":"2026-01-31T12:00:00.000Z"}';
const FIXED =
  `1 0000000000000002 ${INCARNATION} 00${NOON} 0000000000001234 0000000001 0000000000 ` +
  '000000000000 000000000000 0000000000001900 000002 0000000001 0000000002 0 00000000 0';
const record =
  `${FIXED} A 61000 30000 3 5 1769\n` +
  '\n' +
  'user=u%003a1 channel=w%00e9b\n' +
  '{"status":"ACTIVE","since":1000,"activeMs":7,"limitMs":60000,"deadline":61000,' +
  '"operations":["b","a:1"],"terms":{"idleTimeoutMs":900000,"inactivityTimeoutMs":30000},' +
  `"work":{"wakeAt":1769,"lease":{"holder":"worker","fencingToken":3,"takenAt":4,"until":5}}}\n${HEAD}`;

const none = { sequence: 1, entries: 0, bytes: 0 };

describe('a Redis record', () => {
  // Records of today must be read by every later version of this format.
  test('has exactly this text', () => {
    expect(encodeRecord(INCARNATION, head, active, none)).toBe(record);
    expect(decodeRecord('one', record)).toEqual({
      head,
      state: active,
      header: {
        incarnation: INCARNATION,
        created: NOON,
        revision: 2,
        askedAt: 1900,
        inbox: 2,
        lastActivityAt: 1234,
        redactions: 0,
        ...none,
        pieces: [[0, 0]],
        shown: 0,
        version: `${INCARNATION}.0.0`,
      },
    });
  });

  test.each<[string, StateRecord, string]>([
    ['I', live('IDLE'), `${NEVER} ${NEVER} 0 0 ${NEVER}`],
    ['A', live('ACTIVE'), `${NEVER} ${NEVER} 0 0 ${NEVER}`],
    ['P', live('PAUSED', { deadline: 9 }), `9 ${NEVER} 0 0 ${NEVER}`],
    ['T', ended('failed', { revision: 12 }), `${NEVER} ${NEVER} 0 0 ${NEVER}`],
  ])('has the deadline of a session with the letter %s in its header', (letter, state, fields) => {
    const text = encodeRecord(INCARNATION, head, state, none);
    const [line = '', ranges, labelled] = text.split('\n');
    expect(line.slice(line.indexOf(letter))).toBe(`${letter} ${fields}`);
    expect([ranges, labelled]).toEqual(['', '']);
    expect(decodeRecord('one', text)).toMatchObject({ head, state });
    expect(decodeRecord('one', text)?.state).not.toHaveProperty('labels');
  });

  test("hides a cancelled lease's token, and contains its end", () => {
    const work = { lease: { ...lease, maxAttempts: 2, cancelled: {} } };
    const text = encodeRecord(INCARNATION, head, live('ACTIVE', { work }), none);
    expect(text.split('\n')[0]).toMatch(/ A \d+ \d+ 0 5 \d+$/);
    expect(decodeRecord('one', text)?.state.work).toEqual(work);
  });

  test('counts the entries and the length of the journal', () => {
    const counted = record.replace(
      '0000000001 0000000000 000000000000 00',
      '0000000007 0000000003 000000000222 00',
    );
    const counts = { sequence: 7, entries: 3, bytes: 222, shown: 222, pieces: [[0, 222]] };
    expect(decodeRecord('one', counted)?.header).toMatchObject(counts);
    const rewound = counted
      .replace('222 000000000000', '222 000000000101')
      .replace('\n\n', '\n101: 0-10-1 50-60-2;50: 0-10-1\n');
    const pieces = [
      [0, 10],
      [50, 60],
      [101, 222],
    ];
    expect(decodeRecord('one', rewound)?.header).toMatchObject({
      ...counts,
      shown: 141,
      pieces,
      version: `${INCARNATION}.0.101`,
    });
  });

  test.each([
    '101',
    '101: 0-10-1 50-60-2 ',
    '101: 50-60-1 0-10-2',
    '223: 0-10-1',
    '',
    '101: 0-10 50-60-2',
    'x',
  ])('decodes to nothing with the ranges %j', (ranges) => {
    const counted = record.replace('000000000000 000000000000', '000000000222 000000000101');
    expect(decodeRecord('one', counted.replace('\n\n', `\n${ranges}\n`))).toBeUndefined();
  });

  const header = record.slice(0, record.indexOf('\n'));

  test.each(header.split(' ').map((_, at) => at))(
    'decodes to nothing with junk in field %i',
    (place) => {
      const fields = header.split(' ');
      const width = fields[place]?.length ?? 0;
      const junks = [
        '',
        '-1',
        '+1',
        '1.5',
        '1e3',
        'NaN',
        'Infinity',
        '0x1',
        'x y',
        '\0',
        '\u20AC',
        '9'.repeat(40),
      ];
      for (const junk of [...junks, ' '.repeat(width), '.'.repeat(width), '/'.repeat(width)]) {
        const text = fields.with(place, junk).join(' ') + record.slice(header.length);
        expect(decodeRecord('one', text)).toBeUndefined();
      }
    },
  );

  test.each([
    ['empty', ''],
    ['of a later version', record.replace('1', '2')],
    ['of no status', record.replace(' A ', ' X ')],
    ['cut', record.slice(0, -1)],
    ['without its last line', record.slice(0, record.lastIndexOf('\n'))],
    ['without its state', record.split('\n').with(3, '').join('\n')],
    ['with a state of another form', record.replace('"since":1000', '"since":"1000"')],
    ['with an end without reason', record.replace('"ACTIVE"', '"TERMINATED"')],
    ['with terms of another form', record.replace('"idleTimeoutMs":900000', '"idleTimeoutMs":"1"')],
    ['with another line', `${record}\n{}`],
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
  ])('decodes to nothing if it is %s', (_, text) => {
    expect(decodeRecord('one', text)).toBeUndefined();
  });

  test('decodes in linear time, however long the junk is', () => {
    for (const unit of ['\n', ' ', '1-2-3 ', '{', '%', '=']) {
      for (const end of [header.length + 1, header.length + 2]) {
        expect(decodeRecord('one', record.slice(0, end) + unit.repeat(1_000_000))).toBeUndefined();
      }
    }
  });
});
