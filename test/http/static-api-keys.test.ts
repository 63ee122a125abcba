import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { staticApiKeys } from '../../src/http/index.js';
import { revoked, strange, throwing } from '../support/hostile-values.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What is said of keys that a caller in JavaScript may give. */
const messageOf = (keys: unknown): string => {
  try {
    Reflect.apply(staticApiKeys, undefined, [keys]);
    return '';
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
};

/** The paths of the issues in the error. */
const pathsOf = (keys: unknown): readonly string[] =>
  messageOf(keys)
    .replace('staticApiKeys: ', '')
    .split('; ')
    .map((issue) => issue.split(' ')[0] ?? '');

const tenant = 'acme';
const digest = sha256('key');

describe('staticApiKeys', () => {
  test('maps each key to its tenant, and rejects other keys', () => {
    const authenticate = staticApiKeys([
      { key: 'key-a', tenant: 'a' },
      { key: 'key-b', tenant: 'b' },
    ]);
    expect(
      ['key-a', 'key-b', 'key-c', 'KEY-A', 'key-a ', ' key-a', 'key-', ''].map((key) =>
        authenticate(key),
      ),
    ).toEqual(['a', 'b', ...Array.from({ length: 6 })]);
  });

  test('accepts several keys per tenant, so that keys can be rotated', () => {
    const authenticate = staticApiKeys([
      { key: 'old', tenant },
      { key: 'new', tenant },
    ]);
    expect([authenticate('old'), authenticate('new')]).toEqual([tenant, tenant]);
  });

  test('accepts a digest in place of a key, in upper case too', () => {
    for (const given of [digest, digest.toUpperCase()]) {
      const authenticate = staticApiKeys([{ sha256: given, tenant }]);
      expect([authenticate('key'), authenticate(digest)]).toEqual([tenant, undefined]);
    }
  });

  test('accepts keys of 1 to 256 visible ASCII characters', () => {
    for (const key of ['k', '!', '~', 'k'.repeat(256), 'sk-live_5:+/=.,"\\']) {
      expect(staticApiKeys([{ key, tenant }])(key)).toBe(tenant);
    }
  });

  test('rejects a key that is far too long, whatever its beginning', () => {
    expect(staticApiKeys([{ key: 'key', tenant }])(`key${' '.repeat(50_000_000)}`)).toBeUndefined();
  });

  test.each(Object.entries(strange))('rejects a key that is not a string: %s', (_name, make) => {
    const authenticate = staticApiKeys([{ key: 'x', tenant }]);
    expect(Reflect.apply(authenticate, undefined, [make()])).toBeUndefined();
  });

  test('rejects two keys that a header has joined', () => {
    const authenticate = staticApiKeys([
      { key: 'key-a', tenant },
      { key: 'key-b', tenant },
    ]);
    expect(authenticate('key-a, key-b')).toBeUndefined();
  });

  const refused: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['nothing', undefined, ['keys']],
    ['no list', { key: 'key', tenant }, ['keys']],
    ['an empty list', [], ['keys']],
    ['a list that throws', throwing(), ['keys']],
    ['a revoked list', revoked(), ['keys']],
    [
      'a hole in the list',
      [{ key: 'key', tenant }, undefined],
      ['keys[1].tenant', 'keys[1]', 'keys[1].key'],
    ],
    ['an empty entry', [{}], ['keys[0].tenant', 'keys[0]', 'keys[0].key']],
    ['an entry with another field', [{ key: 'key', tenant, role: 'reader' }], ['keys[0]']],
    ['an entry without a key', [{ tenant }], ['keys[0]', 'keys[0].key']],
    ['a key and a digest', [{ key: 'key', sha256: digest, tenant }], ['keys[0]']],
    ['an empty key', [{ key: '', tenant }], ['keys[0].key']],
    ['a key of 257 characters', [{ key: 'k'.repeat(257), tenant }], ['keys[0].key']],
    ['a key with a space', [{ key: 'k k', tenant }], ['keys[0].key']],
    ['a key with a line break', [{ key: 'key\n', tenant }], ['keys[0].key']],
    ['a key that is not ASCII', [{ key: 'schlüssel', tenant }], ['keys[0].key']],
    ['a digest that is too short', [{ sha256: digest.slice(1), tenant }], ['keys[0].sha256']],
    ['a digest that is too long', [{ sha256: `${digest}0`, tenant }], ['keys[0].sha256']],
    ['a digest with a line break', [{ sha256: `${digest}\n`, tenant }], ['keys[0].sha256']],
    ['a digest that is not hexadecimal', [{ sha256: 'g'.repeat(64), tenant }], ['keys[0].sha256']],
    ['an empty digest', [{ sha256: '', tenant }], ['keys[0].sha256']],
    ['no tenant', [{ key: 'key' }], ['keys[0].tenant']],
    ['an empty tenant', [{ key: 'key', tenant: '' }], ['keys[0].tenant']],
    ['a tenant of 257 characters', [{ key: 'key', tenant: 't'.repeat(257) }], ['keys[0].tenant']],
    [
      'a key twice',
      [
        { key: 'a', tenant },
        { key: 'b', tenant },
        { key: 'a', tenant: 'other' },
      ],
      ['keys[2].key'],
    ],
    [
      'a key twice for one tenant',
      [
        { key: 'a', tenant },
        { key: 'a', tenant },
      ],
      ['keys[1].key'],
    ],
    [
      'a digest twice',
      [
        { sha256: digest, tenant },
        { sha256: digest.toUpperCase(), tenant },
      ],
      ['keys[1].sha256'],
    ],
    [
      'a digest of a key that is there',
      [
        { key: 'key', tenant },
        { sha256: digest, tenant },
      ],
      ['keys[1].sha256'],
    ],
    [
      'a key whose digest is there',
      [
        { sha256: digest, tenant },
        { key: 'key', tenant },
      ],
      ['keys[1].key'],
    ],
  ];

  test.each(refused)('throws for %s', (_name, keys, paths) => {
    expect(pathsOf(keys)).toEqual(paths);
  });

  test.each(Object.entries(strange))('throws for a key that is not a string: %s', (_name, make) => {
    const kinds = ['a throwing object', 'a revoked proxy'];
    const at = (path: string) => (kinds.includes(_name) ? expect.any(String) : path);
    expect(pathsOf([{ key: make(), tenant }])).toEqual([at('keys[0].key')]);
    expect(pathsOf([{ sha256: make(), tenant }])).toEqual([at('keys[0].sha256')]);
    expect(pathsOf([{ key: 'key', tenant: make() }])).toEqual([at('keys[0].tenant')]);
  });

  test('names every invalid entry, however many there are', () => {
    expect(
      messageOf([
        { key: '', tenant: '' },
        { sha256: 'x', tenant },
      ]),
    ).toBe(
      'staticApiKeys: keys[0].tenant must have 1 to 256 characters; keys[0].key must be 1 to 256 visible ASCII characters; keys[1].sha256 must be 64 hexadecimal digits',
    );
    expect(pathsOf(Array.from({ length: 100 }, () => ({ key: '', tenant })))).toHaveLength(100);
  });
});

describe('an API key', () => {
  const SECRET = 'sk-5up3r-s3cr3t';
  const secrets = [SECRET, sha256(SECRET)];
  const forms = (value: object): string =>
    [
      inspect(value, { depth: 99, showHidden: true, getters: true }),
      JSON.stringify(value),
      String(value),
    ].join('\n');

  test.each([{ key: SECRET }, { sha256: sha256(SECRET) }])(
    'is not visible in the authenticator: %#',
    (given) => {
      const authenticate = Reflect.apply(staticApiKeys, undefined, [[{ ...given, tenant }]]);
      expect(authenticate(SECRET)).toBe(tenant);
      for (const secret of secrets) expect(forms(authenticate)).not.toContain(secret);
    },
  );

  test('is not visible in errors about the keys, even in place of a name', () => {
    const wrong = [
      { key: SECRET, tenant },
      { key: SECRET, tenant },
      { sha256: sha256(SECRET), tenant },
      { key: SECRET.repeat(30), tenant },
      { [SECRET]: tenant },
    ];
    expect(pathsOf(wrong)).toEqual([
      ...['keys[1].key', 'keys[2].sha256', 'keys[3].key'],
      ...['keys[4]', 'keys[4].tenant', 'keys[4]', 'keys[4].key'],
    ]);
    for (const secret of secrets)
      expect(messageOf(wrong) + messageOf({ [SECRET]: tenant })).not.toContain(secret);
  });

  test('is not affected by later changes of the list', () => {
    const keys = [{ key: SECRET, tenant }];
    const authenticate = staticApiKeys(keys);
    keys.push({ key: 'another', tenant });
    for (const entry of keys) entry.tenant = 'evil';
    expect([authenticate(SECRET), authenticate('another')]).toEqual([tenant, undefined]);
  });
});

describe('staticApiKeys without node:crypto', () => {
  beforeEach(() => {
    vi.stubGlobal('process', {});
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('returns a promise that maps each key to its tenant, given plainly or as a digest', async () => {
    const authenticate = staticApiKeys([
      { key: 'key-a', tenant: 'a' },
      { sha256: sha256('key-b').toUpperCase(), tenant: 'b' },
    ]);
    expect(authenticate('key-a')).toBeInstanceOf(Promise);
    const answers = await Promise.all(
      ['key-a', 'key-b', 'key-c', 'key-', sha256('key-b'), ''].map((key) => authenticate(key)),
    );
    expect(answers).toEqual(['a', 'b', undefined, undefined, undefined, undefined]);
  });

  test('rejects a list immediately, without naming a key', () => {
    const twice = [
      { key: 'secret', tenant },
      { key: 'secret', tenant },
      { key: 'a b', tenant },
    ];
    expect(() => staticApiKeys(twice)).toThrow(
      'staticApiKeys: keys[1].key must not be in the list twice; keys[2].key must be 1 to 256 visible ASCII characters',
    );
  });
});
