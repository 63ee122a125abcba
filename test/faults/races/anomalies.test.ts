import { expect, test } from 'vitest';
import { type Append, anomaliesOf, type Look } from './anomalies.js';

const append = (content: string, began: number, ended: number, outcome: Append['outcome'] = 'applied'): Append => ({
  content,
  outcome,
  began,
  ended,
});
const look = (history: readonly string[], began: number, ended: number, status = 'ACTIVE'): Look => ({
  status,
  history,
  began,
  ended,
});

test('what can have happened has no anomalies', () => {
  const appends = [append('a', 1, 4), append('b', 2, 3), append('c', 5, 6, 'unknown'), append('d', 5, 7, 'unknown')];
  const looks = [look(['b'], 3, 5), look(['b', 'a', 'c'], 8, 9, 'PAUSED'), look(['b', 'a', 'c'], 10, 11, 'TERMINATED')];
  expect(anomaliesOf(appends, looks, ['b', 'a', 'c'])).toEqual([]);
});

test.each([
  ['a lost append', [append('a', 1, 2)], [], []],
  ['one that is there twice', [append('a', 1, 2)], [], ['a', 'a']],
  ['one that was refused and is there', [append('a', 1, 2, 'not_applied')], [], ['a']],
  ['one before what was there already', [append('a', 1, 2), append('b', 3, 4)], [], ['b', 'a']],
  ['a look that is no prefix', [append('a', 1, 4), append('b', 2, 3)], [look(['b'], 5, 6)], ['a', 'b']],
  ['a look without what was acknowledged', [append('a', 1, 2)], [look([], 3, 4)], ['a']],
  ['a look behind an earlier one', [append('a', 1, 9)], [look(['a'], 2, 3), look([], 4, 5)], ['a']],
  ['life after the end', [], [look([], 1, 2, 'TERMINATED'), look([], 3, 4, 'PAUSED')], []],
] as const)('%s is one', (_, appends, looks, final) => {
  expect(anomaliesOf(appends, looks, final)).not.toEqual([]);
});
