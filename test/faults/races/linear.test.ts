import { expect, test } from 'vitest';
import { type Call, isLinear } from './linear.js';
import { emptyModel, type Model, step } from './model.js';

const key = 'a';
const created = step(emptyModel, { type: 'create', key, timeLimit: 0 })[0];
const started: Model = step(created, { type: 'start', key })[0];

const append = (text: string, began: number, ended?: number): Call => ({
  command: { type: 'append', key, text, name: text },
  began,
  ...(ended !== undefined && { answered: { answer: 'appended', ended } }),
});

const look = (
  history: readonly string[],
  began: number,
  ended: number,
  status = 'ACTIVE',
): Call => {
  const end = status === 'TERMINATED' ? { endReason: 'terminated' } : {};
  const answer = { status, ...end, history, historyCount: history.length, inbox: 0, timeLimit: 0 };
  return { command: { type: 'get', key }, began, answered: { answer, ended } };
};

const change = (type: 'pause' | 'terminate', began: number): Call => ({
  command: { type, key },
  began,
});

test.each<[string, readonly Call[]]>([
  [
    'appends that overlap, in either order',
    [append('a', 1, 4), append('b', 2, 3), look(['b', 'a'], 5, 6)],
  ],
  ['a look during an append, before it', [append('a', 1, 4), look([], 2, 3), look(['a'], 5, 6)]],
  ['an append without an answer that was made', [append('a', 1), look(['a'], 2, 3)]],
  ['one that was not', [append('a', 1), look([], 2, 3), look([], 4, 5)]],
  ['one that was made late', [append('a', 1), look([], 2, 3), look(['a'], 4, 5)]],
  ['a change without an answer', [change('pause', 1), look([], 2, 3, 'PAUSED')]],
])('the checker of histories accepts %s', (_, calls) => {
  expect(isLinear(calls, started)).toBe(true);
});

test.each<[string, readonly Call[]]>([
  ['a lost append', [append('a', 1, 2), look([], 3, 4)]],
  ['an append that is there twice', [append('a', 1, 2), look(['a', 'a'], 3, 4)]],
  ['an entry that nobody has appended', [look(['a'], 3, 4)]],
  [
    'an append before what was there already',
    [append('a', 1, 2), append('b', 3, 4), look(['b', 'a'], 5, 6)],
  ],
  [
    'two looks of which neither begins the other',
    [append('a', 1, 8), append('b', 2, 9), look(['b'], 3, 4), look(['a'], 5, 6)],
  ],
  [
    'an append without an answer that comes and goes',
    [append('a', 1), look(['a'], 2, 3), look([], 4, 5)],
  ],
  ['life after the end', [change('terminate', 1), look([], 2, 3, 'TERMINATED'), look([], 4, 5)]],
])('the checker of histories rejects %s', (_, calls) => {
  expect(isLinear(calls, started)).toBe(false);
});

test('the checker of histories orders appends by their positions', () => {
  const at = (call: Call, position: number): Call =>
    call.answered === undefined ? call : { ...call, answered: { ...call.answered, position } };
  const both = [at(append('a', 1, 4), 2), at(append('b', 2, 3), 1)];
  expect(isLinear([...both, look(['b', 'a'], 5, 6)], started)).toBe(true);
  expect(isLinear([...both, look(['a', 'b'], 5, 6)], started)).toBe(false);
});
