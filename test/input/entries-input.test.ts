import { describe, expect, test } from 'vitest';
import { entriesAt, parseAppend } from '../../src/input/entries-input.js';
import { anyPolicy } from '../../src/input/input-policy.js';
import type { InvalidInput } from '../../src/session/errors.js';
import { revoked, strange, throwing } from '../support/hostile-values.js';

const NOW = '2026-01-31T12:00:00.000Z';

const append = (entries: unknown, options: unknown = {}) =>
  parseAppend(entries, options, anyPolicy);

const rules = ({ issues }: InvalidInput) => issues.map(({ path, message }) => `${path} ${message}`);

describe('the entries of an append', () => {
  const hello = { role: 'user', content: 'hello' };

  test('get the current time if they have no timestamp', () => {
    const times = [undefined, null, '2026-01-31T10:00:00-01:00', new Date(0)];
    const entries = times.map((timestamp) => ({ ...hello, timestamp }));
    const stored = entriesAt(Date.parse(NOW), append(entries)._unsafeUnwrap().entries);
    expect(stored.map(({ timestamp }) => timestamp)).toEqual([
      NOW,
      NOW,
      '2026-01-31T11:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ]);
  });

  test.for([
    ['role', undefined, 'is required'],
    ['role', '', 'must have 1 to 64 characters'],
    ['role', 'x'.repeat(65), 'must have 1 to 64 characters'],
    ['role', null, 'must be a string'],
    ['content', undefined, 'is required'],
    ['content', null, 'must be a string'],
    ['content', ['hello'], 'must be a string'],
    ['content', 'x'.repeat(262_145), 'must have at most 262144 bytes of UTF-8'],
    ['content', '\u20AC'.repeat(87_382), 'must have at most 262144 bytes of UTF-8'],
  ] as const)('are rejected for a %s of the third entry', ([field, value, rule]) => {
    const { issues } = append([hello, hello, { ...hello, [field]: value }])._unsafeUnwrapErr();
    expect(issues).toEqual([{ path: `entries[2].${field}`, message: rule }]);
  });

  test.for([undefined, null, {}, 'hello', 5, hello, { length: 1, 0: hello }, new Set([hello]), []])(
    'must be a non-empty array, and not %j',
    (entries) => {
      expect(rules(append(entries)._unsafeUnwrapErr())).toEqual([
        'entries must be an array of 1 to 1000 entries',
      ]);
    },
  );

  test('are limited in number', () => {
    expect(append(new Array(1000).fill(hello))._unsafeUnwrap().entries).toHaveLength(1000);
    const { issues } = append(new Array(1001).fill(hello))._unsafeUnwrapErr();
    expect(issues).toEqual([{ path: 'entries', message: 'must be an array of 1 to 1000 entries' }]);
    expect(append(new Array(4_000_000_000)).isErr()).toBe(true);
  });

  test('must not be a sparse array', () => {
    const sparse = [hello, hello];
    sparse[3] = hello;
    expect(rules(append(sparse)._unsafeUnwrapErr())).toEqual([
      'entries[2] must be an object',
      'entries[2].role is required',
      'entries[2].content is required',
    ]);
  });

  test.for([...Object.keys(strange)])('must be objects, and not %s', (kind) => {
    const { issues } = append([hello, strange[kind]?.()])._unsafeUnwrapErr();
    expect(issues[0]?.path).toMatch(/^entries/);
  });

  test('are rejected with a limited number of issues', () => {
    expect(append(new Array(1000).fill({}))._unsafeUnwrapErr().issues).toHaveLength(20);
  });

  test.for([
    ['an array', [throwing()], 'entries'],
    ['itself', revoked(), 'entries'],
    [
      'a Date',
      [{ ...hello, timestamp: Object.assign(new Date(0), { getTime: () => 'soon' }) }],
      'entries[0].timestamp',
    ],
  ] as const)('are rejected if they throw: %s', ([, entries, path]) => {
    expect(rules(append(entries)._unsafeUnwrapErr())).toEqual([
      `${path} cannot be read: it throws`,
    ]);
  });

  test('reject unknown fields', () => {
    const polluted: unknown = JSON.parse(
      '[{"role":"user","content":"hello","__proto__":{"polluted":1}}]',
    );
    expect(rules(append(polluted)._unsafeUnwrapErr())).toEqual(['entries[0].__proto__ is unknown']);
    const [entry = {}] = entriesAt(Date.parse(NOW), append([hello])._unsafeUnwrap().entries);
    expect(Object.keys(entry)).toEqual(['role', 'content', 'timestamp']);
    expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
    expect(Object.isFrozen(entry)).toBe(true);
  });

  test.for([
    'a',
    'x'.repeat(256),
    'A-z_0.9~:-',
    '__proto__',
    'wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQQ==',
    '$143273582443PhrSn:example.org',
    '<CAF+x y/z="1"@mail.example>',
    '{a}%\\ é 😀',
  ])('may have the operation id %s', (operationId) => {
    expect(append([hello], { operationId })._unsafeUnwrap().operationId).toBe(operationId);
  });

  test.for([
    ['', 'must have 1 to 256 characters'],
    ['x'.repeat(257), 'must have 1 to 256 characters'],
    ...['a\n', 'a\tb', 'a\0', '\u007F', '\u0085', '\uD83D', '\uDE00\uD83D'].map(
      (id) => [id, 'must be well-formed Unicode without control characters'] as const,
    ),
    ...[5, null, {}, ['a']].map((id) => [id, 'must be a string'] as const),
  ] as const)('reject the operation id %j', ([operationId, rule]) => {
    expect(rules(append([hello], { operationId })._unsafeUnwrapErr())).toEqual([
      `operationId ${rule}`,
    ]);
  });
});
