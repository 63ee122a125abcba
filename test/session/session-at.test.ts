import { describe, expect, test } from 'vitest';
import { progressAt, sessionAt } from '../../src/session/session-at.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import { noTerms } from '../../src/testing/samples.js';
import { NOON } from '../support/manual-clock.js';

const state: StateRecord = {
  status: 'ACTIVE',
  revision: 2,
  since: NOON,
  startedAt: NOON - 2000,
  lastActivityAt: NOON + 1000,
  activeMs: 1500,
  limitMs: 5000,
  deadline: NOON + 3500,
  operations: [],
  terms: noTerms,
  work: {},
};

const record: SessionRecord = {
  head: {
    id: 's1',
    options: { face: 'ada', profile: 'tutor', behavior: 'kind', context: 'algebra', timeLimit: 5 },
    createdAt: '2026-01-31T11:59:00.000Z',
  },
  state,
  history: [{ role: 'user', content: 'hello', timestamp: '2026-01-31T12:00:00.000Z' }],
  historyCount: 7,
  sequence: 9,
  historyVersion: 'b.0',
  historyPosition: 0,
};

const expected = {
  id: 's1',
  status: 'ACTIVE',
  options: { face: 'ada', profile: 'tutor', behavior: 'kind', context: 'algebra', timeLimit: 5 },
  labels: {},
  metadata: {},
  revision: 2,
  history: [{ role: 'user', content: 'hello', timestamp: '2026-01-31T12:00:00.000Z' }],
  historyCount: 7,
  inbox: 0,
  createdAt: '2026-01-31T11:59:00.000Z',
  duration: 1,
  durationMs: 1500,
  startedAt: '2026-01-31T11:59:58.000Z',
  endsAt: '2026-01-31T12:00:03.500Z',
  updatedAt: '2026-01-31T12:00:01.000Z',
};

describe('a session as it is read', () => {
  test('has these fields and no others', () => {
    expect(sessionAt(record, NOON)).toStrictEqual(expected);
  });

  test('has an end reason once it has ended', () => {
    const over = sessionAt(record, NOON + 3500);
    const { endsAt, ...kept } = expected;
    const times = { duration: 5, durationMs: 5000, endedAt: endsAt, updatedAt: endsAt };
    expect(over).toStrictEqual({
      ...kept,
      status: 'TERMINATED',
      endReason: 'time_limit',
      ...times,
    });
    expect('endReason' in sessionAt(record, NOON)).toBe(false);
  });

  test.for([
    [-1e9, 'ACTIVE', 1],
    [0, 'ACTIVE', 1],
    [499, 'ACTIVE', 1],
    [500, 'ACTIVE', 2],
    [3499, 'ACTIVE', 4],
    [3500, 'TERMINATED', 5],
    [1e9, 'TERMINATED', 5],
  ] as const)('after %i ms is %s with %i whole seconds', ([ms, status, duration]) => {
    expect(sessionAt(record, NOON + ms)).toMatchObject({ status, duration });
    expect(progressAt('s1', state, NOON + ms)).toMatchObject({ id: 's1', status, duration });
  });

  test('has no time of what has not happened or will not happen', () => {
    const { startedAt: _, ...phase } = state;
    const idle = sessionAt(
      { ...record, state: { ...phase, status: 'IDLE', deadline: Number.POSITIVE_INFINITY } },
      NOON,
    );
    for (const time of ['startedAt', 'endsAt', 'endedAt']) expect(idle).not.toHaveProperty(time);
  });

  test('is a copy: reading it changes nothing in the record', () => {
    const before = structuredClone(record);
    sessionAt(record, NOON + 1e9);
    expect(record).toEqual(before);
  });
});

describe('the progress of a session', () => {
  test('contains what the state alone determines', () => {
    expect(progressAt('s1', state, NOON)).toStrictEqual({
      ...{ id: 's1', status: 'ACTIVE', duration: 1, durationMs: 1500, revision: 2 },
      ...{ startedAt: expected.startedAt, endsAt: expected.endsAt },
    });
    expect(progressAt('s1', state, NOON + 3500)).toEqual({
      id: 's1',
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 5,
      durationMs: 5000,
      revision: 2,
      startedAt: expected.startedAt,
      endedAt: expected.endsAt,
    });
  });
});
