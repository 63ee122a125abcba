import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJournal, journalLines, journalOf } from '../../../adapters/redis/journal-text.js';
import { escapeName, Keyspace, keyOfDue, unescapeName } from '../../../adapters/redis/keys.js';
import { decodeState, encodeState } from '../../../adapters/redis/state-text.js';
import type { SessionHead, StateRecord } from '../../../src/session/record.js';
import type { HistoryEntry } from '../../../src/session/session.js';
import { hostileNames, hostileTexts } from '../../../src/testing/hostile.js';
import { headOf, say } from '../../../src/testing/samples.js';

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
const writeId = nameFrom('abcABC019_-', 12);

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
const state: fc.Arbitrary<StateRecord> = fc.oneof(
  fc.record({ status: fc.constantFrom('IDLE', 'ACTIVE', 'PAUSED'), ...phase }),
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
const head: fc.Arbitrary<SessionHead> = fc.record({ id: text, options, createdAt: timestamp });
const entry: fc.Arbitrary<HistoryEntry> = fc.record({ role: text, content: text, timestamp });
const appends = fc.array(fc.tuple(fc.array(entry, { minLength: 1, maxLength: 5 }), operationId), { maxLength: 8 });

describe('the state text', () => {
  test('says the state, whatever the scripts keep behind it', () => {
    fc.assert(
      fc.property(state, fc.array(writeId, { maxLength: 32 }), (given, writes) => {
        const encoded = encodeState(given) + writes.map((id) => `${id},`).join('');
        expect(encoded).not.toContain('\n');
        expect(decodeState(encoded)).toEqual(given);
      }),
    );
  });

  test('is nothing where it is of another form', () => {
    fc.assert(fc.property(text, (given) => decodeState(given) === undefined));
    const encoded = '1 1 0 IDLE 0 0 0 0 - |';
    expect(decodeState(encoded)).toBeDefined();
    for (const other of ['1 1 0 IDLE 0 0 0 0 failed |', '1 1 0 TERMINATED 0 0 0 0 - |', `2${encoded.slice(1)}`]) {
      expect(decodeState(other)).toBeUndefined();
    }
    for (const other of [` ${encoded}`, encoded.slice(0, -1), `\n${encoded}`, '']) {
      expect(decodeState(other)).toBeUndefined();
    }
  });
});

describe('the journal text', () => {
  test('says the head and the history, in both forms, as they were', () => {
    fc.assert(
      fc.property(head, writeId, appends, (given, created, written) => {
        const journal = written.reduce(
          (before, [entries, id]) => `${before}${journalLines(entries)}"${id}:2:1",\n`,
          journalOf(given, created),
        );
        const decoded = decodeJournal(journal);
        const { id, options: decodedOptions, createdAt } = decoded?.head ?? headOf('none');
        expect({ id, options: decodedOptions, createdAt }).toEqual(given);
        const history = written.flatMap(([entries]) => entries);
        expect(decoded?.history.entries()).toEqual(history);
        expect(JSON.parse(decoded?.history.json() ?? '')).toEqual(history);
      }),
    );
  });

  test('is the same text to the server and to us, so that positions are bytes of what is there', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const lines = journalLines(entries);
        expect(Buffer.from(lines).toString()).toBe(lines);
      }),
    );
  });

  test('holds the mark of a write once, whatever is said in it', () => {
    fc.assert(
      fc.property(text, operationId, (content, id) => {
        const mark = `"${id}:2:3",\n`;
        const lines = journalLines([say(`${content}${mark}`), say(mark), say(content, mark)]) + mark;
        expect(lines.split(mark)).toHaveLength(2);
      }),
    );
  });

  test('is nothing where it is of another form', () => {
    fc.assert(fc.property(text, (given) => decodeJournal(given) === undefined));
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

  test('two sessions never share a key, and what is due says whose it is', () => {
    const keyspace = new Keyspace('app', 3);
    const key = fc.record({ tenant: name, id: name });
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = one.tenant === other.tenant && one.id === other.id;
        const [ofOne, ofOther] = [keyspace.of(one), keyspace.of(other)];
        expect(ofOne.state === ofOther.state).toBe(same);
        expect(ofOne.journal === ofOther.journal).toBe(same);
        expect(ofOne.index === ofOther.index).toBe(one.tenant === other.tenant);
        expect(keyOfDue(ofOne.due)).toEqual(one);
      }),
    );
  });
});
