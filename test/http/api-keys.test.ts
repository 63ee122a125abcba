import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { staticApiKeys } from '../../src/http/index.js';
import { revoked, strange, throwing } from '../support/hostile-values.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const authenticatorOf = (...args: Parameters<typeof staticApiKeys>) => staticApiKeys(...args)._unsafeUnwrap();

/** What is wrong with keys that a caller in JavaScript may give. */
const pathsOf = (keys: unknown): readonly string[] => {
  const result: ReturnType<typeof staticApiKeys> = Reflect.apply(staticApiKeys, undefined, [keys]);
  return result.match(
    () => [],
    (error) => error.issues.map(({ path }) => path),
  );
};

const tenant = 'acme';
const digest = sha256('key');

describe('staticApiKeys', () => {
  test('gives each key its tenant, and no other key any', () => {
    const authenticate = authenticatorOf([
      { key: 'key-a', tenant: 'a' },
      { key: 'key-b', tenant: 'b' },
    ]);
    expect(
      ['key-a', 'key-b', 'key-c', 'KEY-A', 'key-a ', ' key-a', 'key-', ''].map((key) => authenticate(key)),
    ).toEqual(['a', 'b', ...Array.from({ length: 6 })]);
  });

  test('takes several keys a tenant, so that they can be changed in turn', () => {
    const authenticate = authenticatorOf([
      { key: 'old', tenant },
      { key: 'new', tenant },
    ]);
    expect([authenticate('old'), authenticate('new')]).toEqual([tenant, tenant]);
  });

  test('takes a digest in place of a key, in capitals too', () => {
    for (const given of [digest, digest.toUpperCase()]) {
      const authenticate = authenticatorOf([{ sha256: given, tenant }]);
      expect([authenticate('key'), authenticate(digest)]).toEqual([tenant, undefined]);
    }
  });

  test('takes keys of 1 to 256 visible ASCII characters', () => {
    for (const key of ['k', '!', '~', 'k'.repeat(256), 'sk-live_5:+/=.,"\\']) {
      expect(authenticatorOf([{ key, tenant }])(key)).toBe(tenant);
    }
  });

  test('does not find a key that is far too long, whatever it begins with', () => {
    expect(authenticatorOf([{ key: 'key', tenant }])(`key${' '.repeat(50_000_000)}`)).toBeUndefined();
  });

  test.each(Object.entries(strange))('finds no key in what is no string: %s', (_name, make) => {
    const authenticate = authenticatorOf([{ key: 'x', tenant }]);
    expect(Reflect.apply(authenticate, undefined, [make()])).toBeUndefined();
  });

  test('two keys that a header has joined are no key', () => {
    const authenticate = authenticatorOf([
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
    ['a hole in the list', [{ key: 'key', tenant }, undefined], ['keys[1].tenant', 'keys[1]', 'keys[1].key']],
    ['an empty entry', [{}], ['keys[0].tenant', 'keys[0]', 'keys[0].key']],
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

  test.each(refused)('refuses %s', (_name, keys, paths) => {
    expect(pathsOf(keys)).toEqual(paths);
  });

  test.each(Object.entries(strange))('refuses what is no string: %s', (_name, make) => {
    const kinds = ['a throwing object', 'a revoked proxy'];
    const at = (path: string) => (kinds.includes(_name) ? expect.any(String) : path);
    expect(pathsOf([{ key: make(), tenant }])).toEqual([at('keys[0].key')]);
    expect(pathsOf([{ sha256: make(), tenant }])).toEqual([at('keys[0].sha256')]);
    expect(pathsOf([{ key: 'key', tenant: make() }])).toEqual([at('keys[0].tenant')]);
  });

  test('does not break off at the first mistake, and does not go on for ever', () => {
    expect(
      pathsOf([
        { key: '', tenant: '' },
        { sha256: 'x', tenant },
      ]),
    ).toEqual(['keys[0].tenant', 'keys[0].key', 'keys[1].sha256']);
    expect(pathsOf(Array.from({ length: 1000 }, () => ({}))).length).toBeLessThan(50);
  });
});

describe('a secret', () => {
  const SECRET = 'sk-5up3r-s3cr3t';
  const secrets = [SECRET, sha256(SECRET)];
  const forms = (value: object): string =>
    [inspect(value, { depth: 99, showHidden: true, getters: true }), JSON.stringify(value), String(value)].join('\n');

  test.each([{ key: SECRET }, { sha256: sha256(SECRET) }])('cannot be seen in the authenticator: %#', (given) => {
    const result = Reflect.apply(staticApiKeys, undefined, [[{ ...given, tenant }]]);
    const authenticate = result._unsafeUnwrap();
    expect(authenticate(SECRET)).toBe(tenant);
    for (const secret of secrets) expect(forms(result) + forms(authenticate)).not.toContain(secret);
  });

  test('cannot be seen in what is wrong with the keys', () => {
    const digestTwice = { sha256: sha256(SECRET), tenant };
    const tooLong = SECRET.repeat(30);
    const result = staticApiKeys([
      { key: SECRET, tenant },
      { key: SECRET, tenant },
      digestTwice,
      { key: tooLong, tenant },
    ]);
    expect(result.isErr()).toBe(true);
    for (const secret of secrets) expect(forms(result)).not.toContain(secret);
  });

  test('is not kept: changing the list afterwards changes nothing', () => {
    const keys = [{ key: SECRET, tenant }];
    const authenticate = authenticatorOf(keys);
    keys.push({ key: 'another', tenant });
    for (const entry of keys) entry.tenant = 'evil';
    expect([authenticate(SECRET), authenticate('another')]).toEqual([tenant, undefined]);
  });
});
