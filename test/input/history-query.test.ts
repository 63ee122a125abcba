import { describe, expect, test } from 'vitest';
import { parseHistoryQuery } from '../../src/input/list-query.js';
import { oddNumbers, strange } from '../support/hostile-values.js';

const issuesOf = (query: unknown) => parseHistoryQuery(query)._unsafeUnwrapErr().issues;

describe('a history query', () => {
  test.each([
    [{}, { limit: 100 }],
    [{ last: undefined, after: undefined, limit: undefined }, { limit: 100 }],
    [{ last: 1 }, { limit: 1 }],
    [{ last: 1000 }, { limit: 1000 }],
    [{ after: 0 }, { after: 0, limit: 100 }],
    [
      { after: 7, limit: 1 },
      { after: 7, limit: 1 },
    ],
    [
      { after: Number.MAX_SAFE_INTEGER, limit: 1000 },
      { after: Number.MAX_SAFE_INTEGER, limit: 1000 },
    ],
    [{ before: 0 }, { before: 0, limit: 100 }],
    [
      { before: 7, limit: 1 },
      { before: 7, limit: 1 },
    ],
  ])('%j is parsed as %j', (query, slice) => {
    expect(parseHistoryQuery(query)._unsafeUnwrap()).toEqual(slice);
  });

  test.each(
    oddNumbers.flatMap((value) => [
      ['last', { last: value }] as const,
      ['limit', { after: 0, limit: value }] as const,
    ]),
  )('rejects %s in %j, which must be at least 1', (path, query) => {
    expect(issuesOf(query)[0]).toEqual({ path, message: 'must be a whole number, at least 1' });
  });

  test.each(oddNumbers.filter((value) => value !== 0))('rejects the position %d', (value) => {
    for (const path of ['after', 'before']) {
      expect(issuesOf({ [path]: value })).toEqual([
        { path, message: 'must be a whole number, at least 0' },
      ]);
    }
  });

  test.each([1000, 1001, Number.MAX_SAFE_INTEGER])('reads %d entries as a thousand', (limit) => {
    expect(parseHistoryQuery({ last: limit })._unsafeUnwrap()).toEqual({ limit: 1000 });
    expect(parseHistoryQuery({ after: 0, limit })._unsafeUnwrap()).toEqual({
      after: 0,
      limit: 1000,
    });
    expect(parseHistoryQuery({ before: 9, limit })._unsafeUnwrap()).toEqual({
      before: 9,
      limit: 1000,
    });
  });

  test('accepts last, or a limit with after or before, but not both', () => {
    expect(issuesOf({ last: 5, after: 0 })).toMatchObject([{ path: 'last' }]);
    expect(issuesOf({ last: 5, before: 0 })).toMatchObject([{ path: 'last' }]);
    expect(issuesOf({ after: 0, before: 0 })).toMatchObject([{ path: 'before' }]);
    expect(issuesOf({ limit: 5 })).toMatchObject([{ path: 'limit' }]);
    expect(issuesOf({ last: 5, limit: 5 })).toMatchObject([{ path: 'limit' }]);
  });

  test.each(['null', 'a bigint', 'a symbol', 'an array', 'a throwing object', 'a revoked proxy'])(
    'must not be %s',
    (kind) => {
      expect(issuesOf(strange[kind]?.())).toMatchObject([{ path: 'query' }]);
    },
  );

  test.each(['last', 'after', 'before', 'limit'])(
    'rejects %s as a string or an object with a number',
    (path) => {
      for (const value of ['5', null, true, [5], {}, 5n]) {
        expect(
          issuesOf({ ...(path === 'limit' ? { after: 0 } : {}), [path]: value })[0]?.path,
        ).toBe(path);
      }
    },
  );
});
