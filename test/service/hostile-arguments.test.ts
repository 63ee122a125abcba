import { describe, expect, test } from 'vitest';
import type { SessionStore } from '../../src/store/session-store.js';
import { oddNumbers, revoked, strange, throwing } from '../support/hostile-values.js';
import { call, errorOf, type Operation, openSessions } from '../support/sessions.js';

/** A store that fails the test if it is called. */
const untouched = (): SessionStore => {
  const touch = () => {
    throw new Error('the store was touched');
  };
  return {
    begin: touch,
    change: touch,
    remove: touch,
    take: touch,
    find: touch,
    findState: touch,
    entries: touch,
    messages: touch,
    page: touch,
    due: touch,
    countWaiting: touch,
    reportsEnds: touch,
  };
};

const refusal = async (operation: Operation, ...args: readonly unknown[]) => {
  const { sessions } = openSessions({ store: untouched() });
  const error = await errorOf(call(sessions, operation, ...args));
  if (error.type !== 'invalid_input')
    throw new Error(`${error.type}: ${error.message}`, { cause: error });
  return error.issues;
};

const onOneSession = [
  'get',
  'history',
  'start',
  'pause',
  'resume',
  'terminate',
  'fail',
  'append',
  'delete',
] as const;
const commands = ['start', 'pause', 'resume', 'terminate', 'fail'] as const;
const entries = [{ role: 'user', content: 'hello' }];

const badIds: readonly (readonly [kind: string, make: () => unknown, rule: string])[] = [
  ['missing', () => undefined, 'is required'],
  ['empty', () => '', 'must have 1 to 256 characters'],
  ['too long', () => 'x'.repeat(257), 'must have 1 to 256 characters'],
  ['far too long', () => 'x'.repeat(10_000_000), 'must have 1 to 256 characters'],
  ['a number', () => 5, 'must be a string'],
  ['NaN', () => Number.NaN, 'must be a string'],
  ['an object', () => ({ toString: () => 's1' }), 'must be a string'],
  ...Object.entries(strange).map(([kind, make]) => [kind, make, 'must be a string'] as const),
];

describe('an id', () => {
  test.for(onOneSession.flatMap((operation) => badIds.map((bad) => [operation, ...bad] as const)))(
    'of %s that is %s is rejected before the store is called',
    async ([operation, , make, rule]) => {
      expect(await refusal(operation, make(), entries)).toEqual([{ path: 'id', message: rule }]);
    },
  );
});

const badOptions: readonly (readonly [kind: string, make: () => unknown, path: string])[] = [
  ['null', () => null, 'options'],
  ['a number', () => 5, 'options'],
  ['a string', () => 'op', 'options'],
  ['an array', () => ['op'], 'options'],
  ['a function', () => () => ({}), 'options'],
  ['a revoked proxy', revoked, 'options'],
  ['a throwing object', throwing, 'options'],
  ['an empty name', () => ({ operationId: '' }), 'operationId'],
  ['a long name', () => ({ operationId: 'x'.repeat(257) }), 'operationId'],
  ['a name with a line end', () => ({ operationId: 'a\nb' }), 'operationId'],
  ['no name', () => ({ operationId: null }), 'operationId'],
  ['a number for a name', () => ({ operationId: 7 }), 'operationId'],
  ['an object for a name', () => ({ operationId: throwing() }), 'operationId'],
];

describe('options', () => {
  test.for(commands.flatMap((command) => badOptions.map((bad) => [command, ...bad] as const)))(
    'of %s that are %s are rejected before the store is called',
    async ([command, , make, path]) => {
      expect(await refusal(command, 's1', make())).toMatchObject([{ path }]);
    },
  );

  test.for(
    badOptions.filter(([kind]) => kind !== 'a revoked proxy' && kind !== 'a throwing object'),
  )('of append that are %s are rejected before the store is called', async ([, make, path]) => {
    expect(await refusal('append', 's1', entries, make())).toMatchObject([{ path }]);
  });
});

describe('the input of create', () => {
  const noObjects = Object.keys(strange).filter(
    (kind) => !kind.endsWith('object') || kind === 'a throwing object',
  );

  test.for([...noObjects, 'missing'])(
    'is rejected before the store is called if it is %s',
    async (kind) => {
      const issues = await refusal('create', strange[kind]?.());
      expect(issues.map(({ path }) => path)).toEqual(['input']);
    },
  );

  test('is rejected if it throws when a field is read', async () => {
    const input = {
      face: 'ada',
      get profile() {
        throw new Error('do not look at me');
      },
    };
    expect(await refusal('create', input)).toEqual([
      { path: 'profile', message: 'cannot be read: it throws' },
    ]);
  });

  test('is rejected with each of the rules that it breaks', async () => {
    const issues = await refusal('create', {
      face: '',
      profile: 7,
      context: 5,
      timeLimit: Number.NaN,
    });
    expect(issues.map(({ path }) => path)).toEqual(['face', 'profile', 'context', 'timeLimit']);
  });
});

describe('entries', () => {
  test.for([
    ['missing', undefined, 'entries'],
    ['null', null, 'entries'],
    ['a string', 'hello', 'entries'],
    ['one entry', entries[0], 'entries'],
    ['none', [], 'entries'],
    ['a revoked proxy', revoked(), 'entries'],
    ['an entry that throws', [throwing()], 'entries'],
    ['a revoked entry', [revoked()], 'entries'],
    ['null in an array', [null], 'entries[0]'],
    ['a hole', Object.assign([], { length: 1 }), 'entries[0]'],
    ['without a role', [{ content: 'hello' }], 'entries[0].role'],
    ['without content', [...entries, { role: 'user' }], 'entries[1].content'],
    [
      'on the 30th of February',
      [{ ...entries[0], timestamp: '2026-02-30T00:00:00Z' }],
      'entries[0].timestamp',
    ],
    [
      'at an invalid Date',
      [{ ...entries[0], timestamp: new Date(Number.NaN) }],
      'entries[0].timestamp',
    ],
    ['at a number', [{ ...entries[0], timestamp: 5 }], 'entries[0].timestamp'],
  ] as const)('are rejected before the store is called if they are %s', async ([, given, path]) => {
    expect((await refusal('append', 's1', given))[0]).toMatchObject({ path });
  });
});

describe('a history query', () => {
  test.for(['last', 'after', 'limit'])(
    'is rejected before the store is called for a strange %s',
    async (field) => {
      for (const value of [Number.NaN, -1, 1.5, 1e300, '5', null, {}]) {
        const issues = await refusal('history', 's1', {
          after: field === 'last' ? undefined : 0,
          [field]: value,
        });
        expect(issues[0]?.path).toBe(field);
      }
    },
  );

  test.for(['null', 'a bigint', 'an array', 'a throwing object', 'a revoked proxy'])(
    'is rejected before the store is called if it is %s',
    async (kind) => {
      expect(await refusal('history', 's1', strange[kind]?.())).toMatchObject([{ path: 'query' }]);
    },
  );
});

describe('a list query', () => {
  test.for(
    ['limit', 'page'].flatMap((field) => oddNumbers.map((value) => [field, value] as const)),
  )('is rejected before the store is called for the %s %d', async ([field, value]) => {
    expect(await refusal('list', { [field]: value })).toEqual([
      { path: field, message: 'must be a whole number, at least 1' },
    ]);
  });

  test.for(['null', 'a bigint', 'a symbol', 'an array', 'a throwing object', 'a revoked proxy'])(
    'is rejected before the store is called if it is %s',
    async (kind) => {
      expect(await refusal('list', strange[kind]?.())).toMatchObject([{ path: 'query' }]);
    },
  );
});
