import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJournal, decodeTail, encodeEntries } from '../../../adapters/redis/journal-text.js';
import { Keyspace, keyOfPath } from '../../../adapters/redis/keyspace.js';
import {
  decodeFixed,
  decodeHead,
  decodeState,
  encodeHead,
  encodeOrigin,
  encodeState,
} from '../../../adapters/redis/record-text.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import type { SessionHead, StateRecord } from '../../../src/session/session-record.js';
import { escapeName, unescapeName } from '../../../src/store/escape-name.js';
import { hostileNames, hostileTexts } from '../../../src/testing/hostile.js';
import { NOON, say } from '../../../src/testing/samples.js';

/** Any text at all: what UTF-16 can hold, lone surrogates included, and what trips up who writes JSON. */
const text = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', ',', '{', '}', '\u2028', '\uD83D', '\uDE00', '\0', 'u', 'a') }),
  fc.constantFrom(...hostileTexts),
);
const nameFrom = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength });
const UNRESERVED = 'abcxyzABCXYZ0189_.~-';
const operationId = nameFrom(`${UNRESERVED}:`, 64);
const writeId = fc.string({ unit: fc.constantFrom(...'abcABC019_-'), minLength: 12, maxLength: 12 });
const hex = (count: number): string => count.toString(16).padStart(6, '0');

const timestamp = fc.integer({ min: 0, max: 253_402_300_799_999 }).map((ms) => new Date(ms).toISOString());
const ms = fc.maxSafeNat().filter((value) => value < Number.MAX_SAFE_INTEGER);
const msOrNever = fc.oneof(ms, fc.constant(Number.POSITIVE_INFINITY));

const phase = {
  revision: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  since: ms,
  activeMs: ms,
  limitMs: msOrNever,
  deadline: msOrNever,
  operations: fc.array(operationId, { maxLength: 32 }),
};
const hold = fc.record({ holder: text, fence: fc.integer({ min: 1 }), until: ms });
const labels = fc.dictionary(nameFrom('abcxyz019_.-', 64), text, { minKeys: 1, maxKeys: 8, noNullPrototype: true });

const state: fc.Arbitrary<StateRecord> = fc.oneof(
  fc.record({ status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'), ...phase }),
  fc.record({ status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'), ...phase, hold }),
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
  timeLimit: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((seconds) => seconds + 0),
});
const head: fc.Arbitrary<SessionHead> = fc.oneof(
  fc.record({ id: text, options, createdAt: timestamp }),
  fc.record({ id: text, options, labels, createdAt: timestamp }),
);
const entry: fc.Arbitrary<HistoryEntry> = fc.record({ role: text, content: text, timestamp });
const appends = fc.array(fc.tuple(fc.array(entry, { minLength: 1, maxLength: 5 }), operationId), { maxLength: 8 });

const lineOf = (state: StateRecord, birth: string): string => {
  const { start, end } = encodeState(state);
  return start + encodeOrigin(birth, state, NOON) + end;
};

describe('the state line', () => {
  test('says the state, whatever the scripts keep behind it', () => {
    const write = fc.tuple(writeId, fc.nat(), fc.constantFrom('I', 'A', 'P', '-', '251'));
    fc.assert(
      fc.property(state, writeId, fc.array(write, { maxLength: 32 }), (given, birth, writes) => {
        const line = lineOf(given, birth) + writes.map((each) => `${each.join(':')},`).join('');
        expect(line).not.toContain('\n');
        expect(decodeState(line)).toMatchObject({ state: given, birth, changes: 1 });
        expect(decodeState(`${line}\n{}`)).toMatchObject({ state: given });
        expect(decodeFixed(line.slice(0, 86))).toEqual({
          status: given.status,
          deadline: given.deadline,
          createdMs: NOON,
        });
      }),
    );
  });

  test('is nothing where it is of another form', () => {
    fc.assert(fc.property(text, (given) => decodeState(given) === undefined));
    fc.assert(fc.property(text, (given) => decodeFixed(given) === undefined || given === ''));
  });
});

describe('the head of a record', () => {
  test('says what it was, whatever stands in it', () => {
    fc.assert(
      fc.property(head, (given) => {
        const record = `2 a line\n${encodeHead(given)}`;
        expect(record.split('\n')).toHaveLength(given.labels === undefined ? 2 : 3);
        expect(decodeHead(given.id, record)).toEqual(given);
        expect(decodeHead(`${given.id}x`, record)).toBeUndefined();
      }),
    );
  });
});

describe('the journal text', () => {
  test('says the history as it was, from whatever byte on', () => {
    fc.assert(
      fc.property(appends, fc.nat(), (written, cut) => {
        let count = 0;
        const journal = written.reduce((before, [entries, name], at) => {
          count += entries.length;
          return `${before}${encodeEntries(entries)}"${name}/write-id-_12:${hex(at + 1)}:${hex(at + 2)}:${hex(count)}",\n`;
        }, '');
        const history = written.flatMap(([entries]) => entries);
        const counts = { appends: written.length, count };
        expect(decodeJournal(journal)).toEqual({ entries: history, ...counts, marks: written.length });
        const bytes = Buffer.from(journal);
        const tail = decodeTail(bytes.subarray(-Math.min(bytes.length, 150 + cut)).toString());
        if (journal !== '') expect(tail).toMatchObject(counts);
        expect(tail?.entries).toEqual(history.slice(history.length - (tail?.entries.length ?? 0)));
      }),
    );
  });

  test('is the same text to the server and to us, so that positions are bytes of what is there', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lines = encodeEntries(entries);
        expect(Buffer.from(lines).toString()).toBe(lines);
      }),
    );
  });

  test('holds the mark of a write once, whatever is said in it', () => {
    fc.assert(
      fc.property(text, operationId, (content, id) => {
        const mark = `"${id}/write-id-_12:000001:000002:000003",\n`;
        const lines = encodeEntries([say(`${content}${mark}`), say(mark), say(content, mark)]) + mark;
        expect(lines.split(mark)).toHaveLength(2);
      }),
    );
  });

  test('is nothing where it is of another form', () => {
    fc.assert(fc.property(text, (given) => decodeJournal(given) === undefined || given === ''));
  });
});

describe('names as parts of keys', () => {
  const name = fc.oneof(text, fc.constantFrom(...hostileNames), nameFrom('%:{}*0123456789abcdef', 20));

  test('two names never give one text, and none holds a character that means something in a key', () => {
    fc.assert(
      fc.property(name, (given) => {
        const escaped = escapeName(given);
        expect(escaped).toMatch(/^[\w.~%-]*$/);
        expect(unescapeName(escaped)).toBe(given);
      }),
    );
  });

  test('plain ids stay as they are, so that they keep their order', () => {
    fc.assert(fc.property(nameFrom(UNRESERVED, 30), (id) => escapeName(id) === id));
  });

  test('two sessions never share a key, and a path says whose it is', () => {
    const keyspace = new Keyspace('app', 3);
    const key = fc.record({ tenant: name, id: name });
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = one.tenant === other.tenant && one.id === other.id;
        const [ofOne, ofOther] = [keyspace.of(one), keyspace.of(other)];
        expect(ofOne.record === ofOther.record).toBe(same);
        expect(ofOne.journal === ofOther.journal).toBe(same);
        expect(ofOne.index === ofOther.index).toBe(one.tenant === other.tenant);
        expect(ofOne.names === ofOther.names).toBe(same);
        expect(ofOne.deadlines === ofOther.deadlines).toBe(one.tenant === other.tenant);
        expect(keyOfPath(ofOne.path)).toEqual(one);
      }),
    );
  });
});
