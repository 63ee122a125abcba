import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Keyspace, keyOf } from '../../../adapters/redis/keyspace.js';
import {
  decodeLines,
  decodeRecord,
  encodeLines,
  encodeRecord,
} from '../../../adapters/redis/record.js';
import { escapeName, unescapeName } from '../../../adapters/stored/escape-name.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../../src/session/session-record.js';
import { hostileNames, hostileTexts } from '../../../src/testing/hostile-texts.js';
import { headOf, live } from '../../../src/testing/samples.js';

/** Any UTF-16 text, including lone surrogates and what breaks naive JSON. */
const text = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '\n',
      ',',
      '{',
      '}',
      '\u2028',
      '\uD83D',
      '\uDE00',
      '\0',
      'u',
      'a',
    ),
  }),
  fc.constantFrom(...hostileTexts),
);
const nameFrom = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength });
const UNRESERVED = 'abcxyzABCXYZ0189_.~-';
const operationId = nameFrom(`${UNRESERVED}:`, 64);
const writeId = fc.string({
  unit: fc.constantFrom(...'abcABC019_-'),
  minLength: 12,
  maxLength: 12,
});

const timestamp = fc
  .integer({ min: 0, max: 253_402_300_799_999 })
  .map((ms) => new Date(ms).toISOString());
const ms = fc.maxSafeNat().filter((value) => value < Number.MAX_SAFE_INTEGER);
const msOrNever = fc.oneof(ms, fc.constant(Number.POSITIVE_INFINITY));

/** A time that a session may wait for: up to the year 9999. */
const time = fc.nat(253_402_300_799_999);
const lease = fc.record(
  {
    holder: text,
    fencingToken: fc.integer({ min: 1 }),
    takenAt: ms,
    until: ms,
    releasedAt: ms,
    releaseDigest: text,
  },
  { requiredKeys: ['holder', 'fencingToken', 'takenAt', 'until'] },
);

const phase = {
  revision: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  since: ms,
  lastActivityAt: ms,
  activeMs: ms,
  limitMs: msOrNever,
  deadline: msOrNever,
  operations: fc.array(operationId, { maxLength: 32 }),
  terms: fc.record({
    idleTimeoutMs: msOrNever,
    inactivityTimeoutMs: msOrNever,
    retentionMs: msOrNever,
    graceMs: fc.nat(2_592_000_000),
  }),
  work: fc.record({ lease, wakeAt: time, retryAt: ms, attempts: fc.nat() }, { requiredKeys: [] }),
};
const labels = fc.dictionary(nameFrom('abcXYZ019_.-', 64), text, {
  minKeys: 1,
  maxKeys: 8,
  noNullPrototype: true,
});

const state: fc.Arbitrary<StateRecord> = fc.oneof(
  fc.record({ status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'), ...phase }),
  fc.record({
    status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'),
    ...phase,
    startedAt: ms,
  }),
  fc.record({ status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'), ...phase, labels }),
  fc.record({
    status: fc.constant('TERMINATED'),
    endReason: fc.constantFrom('terminated', 'failed', 'time_limit', 'idle_timeout'),
    ...phase,
  }),
);

const options = fc.record({
  face: text,
  profile: text,
  behavior: text,
  context: text,
  // JSON has no negative zero.
  timeLimit: fc
    .double({ min: 0, noNaN: true, noDefaultInfinity: true })
    .map((seconds) => seconds + 0),
});
const head: fc.Arbitrary<SessionHead> = fc.oneof(
  fc.record({ id: text, options, createdAt: timestamp }),
  fc.record({ id: text, options, createdAt: timestamp, digest: text }),
);
const entry: fc.Arbitrary<HistoryEntry> = fc.record({ role: text, content: text, timestamp });

const none = headOf('one');
const idle = live('IDLE');
const counts = { sequence: 1, entries: 0, bytes: 0 };
/** Where the revision and the last activity are in a record. */
const [REVISION, ACTIVITY] = [
  [2, 18],
  [48, 64],
] as const;

describe('an encoded Redis record', () => {
  test('decodes to the same session for any content, and to no other id', () => {
    fc.assert(
      fc.property(head, state, writeId, (given, next, incarnation) => {
        const record = encodeRecord(incarnation, given, next, counts);
        expect(record.split('\n')).toHaveLength(5);
        expect(decodeRecord(given.id, record)).toMatchObject({
          ...{ head: given, state: next },
          header: { incarnation, ...counts, pieces: [[0, 0]], shown: 0 },
        });
        expect(decodeRecord(`${given.id}x`, record)).toBeUndefined();
      }),
    );
  });

  test('is the same text in UTF-8', () => {
    fc.assert(
      fc.property(head, state, (given, next) => {
        const record = encodeRecord('write-id-_12', given, next, counts);
        expect(Buffer.from(record).toString()).toBe(record);
      }),
    );
  });

  test('decodes to nothing if it is malformed', () => {
    fc.assert(fc.property(text, text, (id, given) => decodeRecord(id, given) === undefined));
    const record = encodeRecord('write-id-_12', { ...none, id: 'one' }, idle, counts);
    fc.assert(
      fc.property(text, fc.nat(200), (given, at) => {
        const damaged = record.slice(0, at) + given + record.slice(at + given.length);
        const read = decodeRecord('one', damaged);
        // No other field repeats the revision and the last activity, so other digits are valid too.
        const known = {
          ...idle,
          revision: Number(damaged.slice(...REVISION)),
          lastActivityAt: Number(damaged.slice(...ACTIVITY)),
        };
        if (read !== undefined) expect(read).toMatchObject({ state: known, head: { id: 'one' } });
      }),
    );
  });
});

describe('an encoded Redis journal', () => {
  test('decodes to the same history', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lines = encodeLines(entries);
        expect(Buffer.from(lines).toString()).toBe(lines);
        expect(decodeLines(lines)).toEqual(entries);
      }),
    );
  });

  test('decodes to nothing if it is malformed', () => {
    fc.assert(fc.property(text, (given) => decodeLines(given) === undefined || given === ''));
  });
});

describe('an escaped name in a Redis key', () => {
  const name = fc.oneof(
    text,
    fc.constantFrom(...hostileNames),
    nameFrom('%:{}*0123456789abcdef', 20),
  );

  test('is reversible, and contains no character with a meaning in keys', () => {
    fc.assert(
      fc.property(name, (given) => {
        const escaped = escapeName(given);
        expect(escaped).toMatch(/^[\w.~%-]*$/);
        expect(unescapeName(escaped)).toBe(given);
      }),
    );
  });

  test('equals a plain id, so that ids keep their order', () => {
    fc.assert(fc.property(nameFrom(UNRESERVED, 30), (id) => escapeName(id) === id));
  });

  test('never makes two sessions share a key, and decodes to its session', () => {
    const keyspace = new Keyspace('app', 3);
    const key = fc.record({ tenant: name, id: name });
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = one.tenant === other.tenant && one.id === other.id;
        const [ofOne, ofOther] = [keyspace.of(one), keyspace.of(other)];
        expect(ofOne.record === ofOther.record).toBe(same);
        expect(ofOne.journal === ofOther.journal).toBe(same);
        expect(ofOne.index === ofOther.index).toBe(one.tenant === other.tenant);
        expect(ofOne.operations === ofOther.operations).toBe(same);
        expect(ofOne.deadlines === ofOther.deadlines).toBe(one.tenant === other.tenant);
        expect(keyOf(ofOne.sessionKey)).toEqual(one);
      }),
    );
  });
});
