import { describe, expect, test } from 'vitest';
import {
  appendOutcome,
  dueSessions,
  insertOutcome,
  journalPart,
  removeOutcome,
  replaceOutcome,
} from '../../../adapters/redis/replies.js';

/** What a script of ours never answers, and one of another version may. */
const strange = [null, undefined, '', 'OK', 1.5, true, {}, [], ['OK', 1], [['inserted'], 1], [null, 1]];

describe('a reply to an insert or a replacement', () => {
  test.each([
    [insertOutcome, 'inserted'],
    [insertOutcome, 'taken'],
    [replaceOutcome, 'replaced'],
    [replaceOutcome, 'stale'],
    [replaceOutcome, 'missing'],
  ] as const)('%o says %s, and whether the indexes know of it', (outcomeOf, outcome) => {
    expect(outcomeOf([outcome, 1])).toMatchObject({ outcome, isKnown: true });
    const isWritten = outcome !== 'stale' && outcome !== 'missing';
    expect(outcomeOf([outcome, 0])).toMatchObject({ outcome, isKnown: !isWritten });
  });

  test('says which change it was', () => {
    expect(insertOutcome(['taken', 1, 'w1', '1000'])).toMatchObject({
      made: { birth: 'w1', sequence: 1 },
      createdMs: 1000,
    });
    expect(replaceOutcome(['replaced', 1, 'w1', 7, 'P'])).toMatchObject({
      made: { birth: 'w1', sequence: 7 },
      before: 'P',
    });
    expect(replaceOutcome('stale').made).toBeUndefined();
  });

  test.each(strange)('that is strange has no outcome: %j', (reply) => {
    expect(insertOutcome(reply).outcome).toBeUndefined();
    expect(replaceOutcome(reply).outcome).toBeUndefined();
  });

  test('of the other command has no outcome', () => {
    expect(insertOutcome('replaced').outcome).toBeUndefined();
    expect(replaceOutcome('inserted').outcome).toBeUndefined();
  });
});

describe('a reply to a removal', () => {
  test('says what was done, or nothing where it is strange', () => {
    expect(removeOutcome(['removed', 'w1', 4])).toEqual({ outcome: 'removed', made: { birth: 'w1', sequence: 4 } });
    expect(removeOutcome(['missing']).outcome).toBe('missing');
    expect(removeOutcome('stale').outcome).toBe('stale');
    for (const reply of [...strange, 'taken']) expect(removeOutcome(reply).outcome).toBeUndefined();
  });
});

describe('a reply to an append', () => {
  const ended = '1 3 0 TERMINATED 1000 0 60000 61000 failed |';

  test('is a position, a missing session, or the state that accepts nothing', () => {
    const made = { birth: 'w1', sequence: 3 };
    expect(appendOutcome([251, 3, 'w1'])).toEqual({ outcome: { outcome: 'appended', position: 251 }, made });
    expect(appendOutcome('missing').outcome).toEqual({ outcome: 'missing' });
    expect(appendOutcome(['full']).outcome).toEqual({ outcome: 'full' });
    expect(appendOutcome(['closed', ended]).outcome).toMatchObject({
      outcome: 'closed',
      state: { endReason: 'failed' },
    });
  });

  test.each([
    ...strange.filter((reply) => typeof reply !== 'number'),
    'closed',
    ['closed'],
    ['closed', 1],
    ['closed', [ended]],
    ['closed', `2${ended.slice(1)}`],
    ['open', ended],
  ])('that is strange is none: %j', (reply) => {
    expect(appendOutcome(reply).outcome).toBeUndefined();
  });
});

describe('a reply with what is due', () => {
  test('has members and their deadlines in turn; half a pair at the end is left out', () => {
    const two = [
      { tenant: 'acme', id: 'a', deadline: 5 },
      { tenant: 'globex', id: 'b', deadline: 7 },
    ];
    expect(dueSessions([])).toEqual([]);
    expect(dueSessions(['acme:a', '5', 'globex:b', '7'])).toEqual(two);
    expect(dueSessions(['acme:a', '5', 'globex:b', '7', 'acme:c'])).toEqual(two);
  });
});

describe('a reply to who reads a part of a journal', () => {
  test('holds the lines, how much of the journal they are, and what the whole is', () => {
    const whole = { length: 9, entries: 2, birth: 'w1' };
    expect(journalPart(['\u20AC', 3, 9, 2, 'w1'])).toEqual({ lines: '\u20AC', span: 3, ...whole });
    expect(journalPart(['\u20AC', -1, 9, 2, 'w1'])).toEqual({ lines: '\u20AC', span: 1, ...whole });
    expect(journalPart('missing')).toBe('missing');
    expect(journalPart('astray')).toBe('astray');
  });

  test('that is strange is none', () => {
    const parts = ['x', 1, 9, 2, 'w1'];
    const holed = parts.map((_, at) => parts.with(at, 0).map((part, of) => (of === at ? null : part)));
    for (const reply of [...strange, ...holed, 'corrupt']) expect(journalPart(reply)).toBeUndefined();
  });
});
