import { describe, expect, test } from 'vitest';
import { cursorOf } from '../../src/input/cursor.js';
import {
  parseEachQuery,
  parseGetOptions,
  parseListQuery,
  parseReadOptions,
} from '../../src/input/list-query.js';
import type { InvalidInput } from '../../src/session/errors.js';
import { revoked, throwing } from '../support/hostile-values.js';

const rules = ({ issues }: InvalidInput) => issues.map(({ path, message }) => `${path} ${message}`);

const paths = (query: unknown) =>
  parseListQuery(query)
    ._unsafeUnwrapErr()
    .issues.map(({ path }) => path);

const read = (query: unknown) => {
  const { limit, offset } = parseListQuery(query)._unsafeUnwrap();
  return { limit, offset };
};

describe('the limit and page of a list', () => {
  test.for([
    [{}, { limit: 10, offset: 0 }],
    [{ limit: 1 }, { limit: 1, offset: 0 }],
    [
      { limit: 100, page: 7 },
      { limit: 100, offset: 600 },
    ],
    [{ limit: 101 }, { limit: 100, offset: 0 }],
    [
      { limit: Number.MAX_SAFE_INTEGER, page: Number.MAX_SAFE_INTEGER },
      { limit: 100, offset: Number.MAX_SAFE_INTEGER },
    ],
    [
      { limit: undefined, page: undefined },
      { limit: 10, offset: 0 },
    ],
  ] as const)('%j is parsed as %j', ([query, expected]) => {
    expect(read(query)).toEqual(expected);
  });

  test.for(
    ['limit', 'page'].flatMap((field) =>
      [
        0,
        -1,
        1.5,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        2 ** 53,
        '10',
        '',
        null,
        true,
        [1],
        1n,
      ].map((value) => [field, value] as const),
    ),
  )('reject a %s of %s', ([field, value]) => {
    expect(rules(parseListQuery({ [field]: value })._unsafeUnwrapErr())).toEqual([
      `${field} must be a whole number, at least 1`,
    ]);
  });

  test.for([null, 5, 'limit=5', [], () => ({})])('reject a query of %s', (query) => {
    expect(rules(parseListQuery(query)._unsafeUnwrapErr())).toEqual(['query must be an object']);
  });

  test('reject a query that throws', () => {
    for (const query of [throwing(), revoked()]) {
      expect(parseListQuery(query)._unsafeUnwrapErr().issues[0]?.path).toBe('query');
    }
  });
});

describe('historyLimit', () => {
  test('defaults to the complete history, and may be any number from 0', () => {
    expect(parseListQuery({})._unsafeUnwrap().historyLimit).toBeUndefined();
    expect(parseGetOptions({})._unsafeUnwrap()).toEqual({});
    for (const historyLimit of [0, 1, 20, Number.MAX_SAFE_INTEGER]) {
      expect(parseListQuery({ historyLimit })._unsafeUnwrap()).toMatchObject({
        historyLimit,
      });
      expect(parseEachQuery({ historyLimit })._unsafeUnwrap()).toMatchObject({ historyLimit });
      expect(parseGetOptions({ historyLimit })._unsafeUnwrap()).toEqual({ historyLimit });
    }
  });

  test.for([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '10', '', null, true, [1]])(
    'rejects %s',
    (historyLimit) => {
      const rule = ['historyLimit must be a whole number, at least 0'];
      expect(rules(parseListQuery({ historyLimit })._unsafeUnwrapErr())).toEqual(rule);
      expect(rules(parseEachQuery({ historyLimit })._unsafeUnwrapErr())).toEqual(rule);
      expect(rules(parseGetOptions({ historyLimit })._unsafeUnwrapErr())).toEqual(rule);
    },
  );
});

describe('read options', () => {
  test.for([null, 5, 'all', [], () => ({})])('must be an object, and not %s', (options) => {
    expect(rules(parseListQuery({}, options)._unsafeUnwrapErr())).toEqual([
      'options must be an object',
    ]);
    expect(rules(parseGetOptions(options)._unsafeUnwrapErr())).toEqual([
      'options must be an object',
    ]);
  });

  test.for([null, true, 0, 1.5, '5', {}])('reject a maxBytes of %j', (maxBytes) => {
    const rule = 'maxBytes must be a whole number, at least 1';
    expect(rules(parseListQuery({}, { maxBytes })._unsafeUnwrapErr())).toEqual([rule]);
    expect(rules(parseGetOptions({ maxBytes })._unsafeUnwrapErr())).toEqual([rule]);
    expect(rules(parseReadOptions({ maxBytes })._unsafeUnwrapErr())).toEqual([rule]);
  });
});

describe('a list query with a cursor', () => {
  const place = { at: '2026-01-31T12:00:00.000Z', id: 's1' };
  const cursor = cursorOf(place);

  test('has no page number', () => {
    expect(parseListQuery({ cursor, limit: 5 })._unsafeUnwrap()).toEqual({
      offset: 0,
      limit: 5,
      cursor: place,
    });
    expect(paths({ cursor, page: 1 })).toEqual(['cursor']);
  });

  test('accepts times with any offset or as Dates', () => {
    const query = {
      createdAfter: '2026-01-31T14:00:00+02:00',
      createdBefore: new Date(0),
      order: 'oldest',
      page: 3,
    };
    expect(parseListQuery(query)._unsafeUnwrap()).toEqual({
      offset: 20,
      limit: 10,
      order: 'oldest',
      createdAfter: '2026-01-31T12:00:00.000Z',
      createdBefore: '1970-01-01T00:00:00.000Z',
    });
  });

  test('is rejected with a complete list of issues', () => {
    expect(
      paths({ order: 'best', createdAfter: 'now', createdBefore: 5, cursor: '', page: 0 }),
    ).toEqual(['page', 'order', 'createdAfter', 'createdBefore', 'cursor', 'cursor']);
  });

  test.for([null, 5, '', 'NEWEST', 'newest ', ['newest'], {}])(
    'rejects an order of %j',
    (order) => {
      expect(paths({ order })).toEqual(['order']);
    },
  );
});

describe('the query of each', () => {
  test('reads full pages unless a limit is given', () => {
    expect(parseEachQuery({})._unsafeUnwrap()).toEqual({ offset: 0, limit: 100 });
    expect(parseEachQuery({ limit: 7 })._unsafeUnwrap()).toEqual({ offset: 0, limit: 7 });
  });

  test('rejects a page', () => {
    const { issues } = parseEachQuery({ page: 1 })._unsafeUnwrapErr();
    expect(issues.map(({ path }) => path)).toEqual(['page']);
  });
});
