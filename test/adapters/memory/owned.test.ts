import { describe, expect, test } from 'vitest';
import { ownedHead, ownedState } from '../../../adapters/memory/owned.js';
import type { StateRecord } from '../../../src/session/record.js';

const options = () => ({ face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 60 });
const head = () => ({ id: 's1', options: options(), createdAt: '2026-01-31T18:00:02.000Z' });
const state = (): StateRecord & { operations: string[] } => ({
  status: 'ACTIVE',
  revision: 2,
  since: 1000,
  activeMs: 0,
  limitMs: 60_000,
  deadline: 61_000,
  operations: ['a'],
});

describe('what is handed in', () => {
  test('is kept as it was, though it be frozen on the outside alone', () => {
    for (const given of [head(), Object.freeze(head())]) {
      const kept = ownedHead(given);
      given.options.face = 'eve';
      expect(kept).toEqual(head());
    }
    for (const given of [state(), Object.freeze(state())]) {
      const kept = ownedState(given);
      given.operations.push('b');
      expect(kept).toEqual(state());
    }
  });

  test('is kept as it was, though it be frozen on the inside alone', () => {
    const outside = { ...head(), options: Object.freeze(options()) };
    const kept = ownedHead(outside);
    outside.id = 's2';
    expect(kept).toEqual(head());
    const moving = { ...state(), operations: Object.freeze(['a']) };
    const owned = ownedState(moving);
    Object.assign(moving, { revision: 9 });
    expect(owned).toEqual(state());
  });

  test('gets no field that it did not have', () => {
    expect(ownedState(state())).toStrictEqual(state());
    const over: StateRecord = { ...state(), status: 'TERMINATED', endReason: 'failed' };
    expect(ownedState(over)).toStrictEqual(over);
  });
});
