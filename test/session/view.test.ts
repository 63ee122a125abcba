import { describe, expect, test } from 'vitest';
import type { SessionRecord, StateRecord } from '../../src/session/record.js';
import { encodedPartsOf, progressAt, sessionAt } from '../../src/session/view.js';
import { NOON } from '../support/manual-clock.js';
import { encodedRecord } from '../support/store-doubles.js';

const state: StateRecord = {
  status: 'ACTIVE',
  revision: 2,
  since: NOON,
  activeMs: 1500,
  limitMs: 5000,
  deadline: NOON + 3500,
  operations: [],
};

const record: SessionRecord = {
  head: {
    id: 's1',
    options: { face: 'ada', profile: 'tutor', behavior: 'kind', context: 'algebra', timeLimit: 5 },
    createdAt: '2026-01-31T11:59:00.000Z',
  },
  state,
  history: [{ role: 'user', content: 'hello', timestamp: '2026-01-31T12:00:00.000Z' }],
  sequence: 3,
};

/** The record in both of the forms that stores give. */
const forms = [
  ['entries', record],
  ['text', encodedRecord(record)],
] as const;

const expected = {
  id: 's1',
  status: 'ACTIVE',
  options: { face: 'ada', profile: 'tutor', behavior: 'kind', context: 'algebra', timeLimit: 5 },
  history: [{ role: 'user', content: 'hello', timestamp: '2026-01-31T12:00:00.000Z' }],
  createdAt: '2026-01-31T11:59:00.000Z',
  duration: 1,
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.for(forms)('a session whose store keeps %s', ([, stored]) => {
  test('has these fields and no others, whatever the form of its history', () => {
    const session = sessionAt(stored, NOON);
    expect(Object.keys(session).toSorted()).toEqual(Object.keys(expected).toSorted());
    expect(plain(session)).toEqual(expected);
    expect({ ...session }).toEqual(expected);
    expect(structuredClone({ ...session })).toEqual(expected);
  });

  test('has a reason once it has ended', () => {
    const over = sessionAt(stored, NOON + 3500);
    expect(plain(over)).toEqual({ ...expected, status: 'TERMINATED', endReason: 'time_limit', duration: 5 });
    expect('endReason' in sessionAt(stored, NOON)).toBe(false);
  });

  test.for([
    [-1e9, 'ACTIVE', 1],
    [0, 'ACTIVE', 1],
    [499, 'ACTIVE', 1],
    [500, 'ACTIVE', 2],
    [3499, 'ACTIVE', 4],
    [3500, 'TERMINATED', 5],
    [1e9, 'TERMINATED', 5],
  ] as const)('%i ms later it is %s after %i whole seconds', ([ms, status, duration]) => {
    expect(sessionAt(stored, NOON + ms)).toMatchObject({ status, duration });
    expect(progressAt('s1', state, NOON + ms)).toMatchObject({ id: 's1', status, duration });
  });

  test('gives the same history whenever it is looked at', () => {
    const session = sessionAt(stored, NOON);
    expect(session.history).toEqual(session.history);
    expect(session.history).toEqual(expected.history);
  });

  test('is a value: reading it changes nothing in the record', () => {
    const before = structuredClone(record);
    sessionAt(stored, NOON + 1e9);
    expect(record).toEqual(before);
  });
});

describe('the texts of a session', () => {
  test('are there where the store keeps text, and say what the session says', () => {
    const kept = encodedPartsOf(sessionAt(encodedRecord(record), NOON));
    expect(kept?.history.entries()).toEqual(expected.history);
    expect(JSON.parse(kept?.history.json() ?? '')).toEqual(expected.history);
    expect(kept?.optionsJson).toBeUndefined();
    const head = { ...record.head, optionsJson: '{"face":"ada"}' };
    expect(encodedPartsOf(sessionAt({ ...encodedRecord(record), head }, NOON))?.optionsJson).toBe('{"face":"ada"}');
  });

  test('are not there where the store keeps entries', () => {
    expect(encodedPartsOf(sessionAt(record, NOON))).toBeUndefined();
  });

  test('are not parsed before somebody looks', () => {
    const looks: string[] = [];
    const head = {
      ...record.head,
      get options() {
        looks.push('options');
        return expected.options;
      },
    };
    const history = {
      entries: () => {
        looks.push('history');
        return expected.history;
      },
      json: () => '[]',
    };
    const session = sessionAt({ state, head, history, sequence: 3 }, NOON);
    expect([session.id, session.status, session.duration, session.createdAt]).toEqual([
      's1',
      'ACTIVE',
      1,
      expected.createdAt,
    ]);
    expect(looks).toEqual([]);
    expect(session.history).toEqual(expected.history);
    expect(session.options).toEqual(expected.options);
    expect(looks).toEqual(['history', 'options']);
  });

  test('are lost in a copy, whose options and history are its own', () => {
    const session = sessionAt(encodedRecord(record), NOON);
    const copy = { ...session, history: [] };
    expect(encodedPartsOf(copy)).toBeUndefined();
    expect(copy.history).toEqual([]);
  });
});

describe('what hosts and other builds do with a session', () => {
  const parts = Symbol.for('colloquy.encodedParts');

  test('its options and history can be put in another form, or taken away', () => {
    for (const name of ['options', 'history']) {
      const session = sessionAt(encodedRecord(record), NOON);
      expect(Reflect.defineProperty(session, name, { value: [] })).toBe(true);
      expect(Reflect.get(session, name)).toEqual([]);
      expect(Reflect.deleteProperty(session, name)).toBe(true);
    }
  });

  test('the texts of one that another build has made are found', () => {
    const history = { entries: () => expected.history, json: () => '[]' };
    const theirs = { ...sessionAt(record, NOON), [parts]: { head: record.head, history } };
    expect(encodedPartsOf(theirs)?.history).toBe(history);
  });

  test.each([null, 'text', {}, { head: record.head }, { history: [] }])('no texts are found in %j', (other) => {
    const session = Object.assign(sessionAt(record, NOON), { [parts]: other });
    expect(encodedPartsOf(session)).toBeUndefined();
  });
});

describe('progress', () => {
  test('is a session without what its state does not hold', () => {
    expect(progressAt('s1', state, NOON)).toStrictEqual({ id: 's1', status: 'ACTIVE', duration: 1 });
    expect(progressAt('s1', state, NOON + 3500)).toEqual({
      id: 's1',
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 5,
    });
  });
});
