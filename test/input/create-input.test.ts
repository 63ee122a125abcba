import { describe, expect, test } from 'vitest';
import { parseCreate } from '../../src/input/create-input.js';
import type { InputPolicy } from '../../src/input/input-policy.js';
import type { InvalidInput } from '../../src/session/errors.js';
import { defaultLimits } from '../../src/session/limits.js';
import { strange } from '../support/hostile-values.js';

const policy: InputPolicy = {
  limits: defaultLimits,
  hasTimeLimit: false,
  faces: undefined,
  profiles: undefined,
};

const create = (input: unknown, given: Partial<InputPolicy> = {}) =>
  parseCreate(input, { ...policy, ...given });
const createWith = (fields: object) => create({ face: 'ada', profile: 'tutor', ...fields });

const rules = ({ issues }: InvalidInput) => issues.map(({ path, message }) => `${path} ${message}`);

const NAME = 'must have 1 to 256 characters';
const TEXT = 'must have at most 65536 bytes of UTF-8';
const LIMIT = 'must be a number from 0 to 2592000';

describe('the input of create', () => {
  test('gets defaults for every optional field', () => {
    expect(create({ face: 'ada', profile: 'tutor' })._unsafeUnwrap()).toMatchObject({
      options: { face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 0 },
      start: false,
      wake: false,
      entries: [],
      content: '',
    });
    expect(create({})._unsafeUnwrap().options).toMatchObject({ face: '', profile: '' });
  });

  test('is rejected with a complete list of issues', () => {
    const error = create({
      face: '',
      behavior: 1,
      timeLimit: 'long',
      idempotencyKey: '',
    })._unsafeUnwrapErr();
    expect(rules(error)).toEqual([
      `face ${NAME}`,
      'behavior must be a string',
      `timeLimit ${LIMIT}`,
      `idempotencyKey ${NAME}`,
    ]);
    expect(error.message).toBe(rules(error).join('; '));
  });

  test.for([
    ['face', '', NAME],
    ['face', 'x'.repeat(257), NAME],
    ['face', '\u{1F600}'.repeat(129), NAME],
    ['face', 5, 'must be a string'],
    ['profile', '', NAME],
    ['profile', 'x'.repeat(257), NAME],
    ['behavior', 'x'.repeat(65_537), TEXT],
    ['behavior', '\u20AC'.repeat(21_846), TEXT],
    ['behavior', '\uD800'.repeat(21_846), TEXT],
    ['context', 'x'.repeat(10_000_000), TEXT],
    ['context', `${'\u00E9'.repeat(32_768)}x`, TEXT],
    ['context', 0, 'must be a string'],
    ['timeLimit', '600', LIMIT],
    ['timeLimit', '', LIMIT],
    ['timeLimit', -1, LIMIT],
    ['timeLimit', -Number.MIN_VALUE, LIMIT],
    ['timeLimit', 2_592_000.001, LIMIT],
    ['timeLimit', Number.NaN, LIMIT],
    ['timeLimit', Number.POSITIVE_INFINITY, LIMIT],
    ['timeLimit', new Date(5), LIMIT],
    ['idempotencyKey', '', NAME],
    ['idempotencyKey', 'x'.repeat(257), NAME],
    ['idempotencyKey', 7, 'must be a string'],
  ] as const)('is rejected for its %s', ([field, value, rule]) => {
    const error = createWith({ [field]: value })._unsafeUnwrapErr();
    expect(error).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: field, message: rule }],
    });
  });

  const optional = ['behavior', 'context', 'timeLimit'];

  test('treats null in an optional field as absent', () => {
    const nothing = Object.fromEntries(optional.map((field) => [field, null]));
    expect(createWith(nothing)).toEqual(createWith({}));
  });

  test.for(
    ['face', 'profile', ...optional, 'idempotencyKey']
      .flatMap((field) => Object.keys(strange).map((kind) => [field, kind] as const))
      .filter(([field, kind]) => kind !== 'null' || field === 'idempotencyKey'),
  )('rejects a %s that is %s', ([field, kind]) => {
    const { issues } = createWith({ [field]: strange[kind]?.() })._unsafeUnwrapErr();
    expect(issues).toEqual([
      { path: field, message: field === 'timeLimit' ? LIMIT : 'must be a string' },
    ]);
  });

  test.for([
    ['face', 'x'.repeat(256)],
    ['profile', '\0\n\u{1F600}\uD800 __proto__'],
    ['behavior', 'x'.repeat(65_536)],
    ['behavior', '\u20AC'.repeat(21_845)],
    ['context', '\0\u2028"\\\uD800'],
    ['timeLimit', 0.1],
    ['timeLimit', Number.MIN_VALUE],
    ['timeLimit', 2_592_000],
  ] as const)('accepts this %s', ([field, value]) => {
    expect(createWith({ [field]: value })._unsafeUnwrap().options[field]).toBe(value);
  });

  test('reads -0 as 0', () => {
    expect(Object.is(createWith({ timeLimit: -0 })._unsafeUnwrap().options.timeLimit, 0)).toBe(
      true,
    );
  });

  const isObject = (kind: string) => kind.endsWith('object') && kind !== 'a throwing object';

  test.for(Object.keys(strange).filter((kind) => !isObject(kind)))(
    'must be an object, and not %s',
    (kind) => {
      const { issues } = create(strange[kind]?.())._unsafeUnwrapErr();
      expect(issues.map(({ path }) => path)).toContain('input');
    },
  );

  test('must not be missing', () => {
    expect(rules(create(undefined)._unsafeUnwrapErr())[0]).toBe('input must be an object');
  });

  test('rejects other fields, and never changes the prototype', () => {
    const given: unknown = JSON.parse(
      '{"face":"ada","profile":"tutor","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"status":"ACTIVE"}',
    );
    expect(rules(create(given)._unsafeUnwrapErr())).toEqual([
      '__proto__ is unknown',
      'constructor is unknown',
      'status is unknown (did you mean start?)',
    ]);
    expect('polluted' in {}).toBe(false);
  });

  test('is read once, field by field', () => {
    const reads: string[] = [];
    const input = new Proxy<Record<string, unknown>>(
      {
        face: 'ada',
        profile: 'tutor',
        behavior: 'kind',
        context: 'algebra',
        timeLimit: 1,
        idempotencyKey: 'k',
      },
      {
        get: (target, name) => {
          reads.push(String(name));
          return target[String(name)];
        },
      },
    );
    create(input)._unsafeUnwrap();
    const names = [
      'behavior',
      'budget',
      'context',
      'entries',
      'face',
      'from',
      'historyLimit',
      'id',
      'idempotencyKey',
      'labels',
    ];
    expect(reads.toSorted()).toEqual([
      ...names,
      'metadata',
      'profile',
      'start',
      'timeLimit',
      'wake',
    ]);
  });

  test('must have a face and a profile that the host allows', () => {
    const allowed = { faces: new Set(['ada']), profiles: new Set(['tutor']) };
    expect(create({ face: 'ada', profile: 'tutor' }, allowed).isOk()).toBe(true);
    const error = create({ face: 'Ada', profile: 'toString' }, allowed)._unsafeUnwrapErr();
    expect(rules(error)).toEqual([
      'face is not one of the names that this host allows',
      'profile is not one of the names that this host allows',
    ]);
  });

  test('cannot be changed afterwards', () => {
    expect(Object.isFrozen(create({ face: 'ada', profile: 'tutor' })._unsafeUnwrap().options)).toBe(
      true,
    );
  });
});
