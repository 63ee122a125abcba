import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { createWorker } from '../../src/service/worker.js';
import { oddNumbers, revoked, strange, throwing } from '../support/hostile-values.js';
import { call, errorOf, type Operation, openSessions } from '../support/sessions.js';

/** A value that only JavaScript can pass. */
const untyped = (value: unknown): never => value as never;

describe('createWorker', () => {
  test.each([
    ['null', () => null],
    [
      'an object with its methods',
      () => ({ claim: () => ok(undefined), claimAny: () => ok(undefined) }),
    ],
    ['a proxy of a service', () => new Proxy(openSessions().sessions, {})],
    ['a revoked proxy', revoked],
    ['what throws', throwing],
  ])('throws a TypeError for %s', (_, sessions) => {
    const make = () => createWorker(untyped(sessions()), { run: () => undefined });
    expect(make).toThrow(new TypeError('createWorker: sessions must be a SessionService'));
  });

  test.for(Object.entries(strange))('throws a TypeError for options that are %s', ([, make]) => {
    expect(() => createWorker(openSessions().sessions, untyped(make()))).toThrow(TypeError);
  });

  test.for([
    'concurrency',
    'seconds',
    'attempts',
    'interval',
    'holder',
    'allTenants',
    'onError',
    'run',
  ])('throws a TypeError that names a strange %s', (name) => {
    const { sessions } = openSessions();
    for (const [kind, make] of Object.entries(strange)) {
      const isFine = (name === 'allTenants' && kind === 'a boolean') || kind === 'a function';
      const options = { run: () => undefined, [name]: make() };
      if (!isFine)
        expect(() => createWorker(sessions, untyped(options))).toThrow(
          new RegExp(`createWorker: .*${name}`),
        );
    }
  });
});

const badInputs: readonly (readonly [Operation, readonly unknown[], string])[] = [
  ...oddNumbers.flatMap((odd) => [
    ['claim', [{ holder: 'w', seconds: 1, limit: odd }], 'limit'] as const,
    ['claimAny', [{ holder: 'w', seconds: 1, attempts: odd }], 'attempts'] as const,
  ]),
  ['claim', [{ holder: 'w', seconds: 1, historyLimit: -1 }], 'historyLimit'],
  ['claim', [{ holder: 'w', seconds: 1, attempts: 1001 }], 'attempts'],
  ['claim', [{ holder: '', seconds: 1 }], 'holder'],
  ['claim', [{ holder: 'w', seconds: Number.NaN }], 'seconds'],
  ['wake', ['s1', { at: 'soon' }], 'at'],
  ['wake', ['s1', { at: new Date(Number.NaN) }], 'at'],
  ['wake', ['s1', { at: 5 }], 'at'],
  ['wake', ['s1', { when: 'now' }], 'when'],
  ['cancel', ['s1', { reason: '' }], 'reason'],
  ['cancel', ['s1', { reason: 'x'.repeat(257) }], 'reason'],
  ['cancel', ['s1', { reason: 7 }], 'reason'],
  ['release', ['s1', { fencingToken: 1, done: 'yes' }], 'done'],
  ['append', ['s1', [], { wake: 'yes' }], 'wake'],
];

describe('an argument', () => {
  test.for(badInputs)('of %s that is %j is rejected and named', async ([operation, args, path]) => {
    const error = await errorOf(call(openSessions().sessions, operation, ...args));
    expect(error).toMatchObject({ type: 'invalid_input' });
    expect('issues' in error && error.issues.map((issue) => issue.path)).toContain(path);
  });

  const operations = ['claim', 'claimAny', 'wake', 'cancel', 'release'] as const;
  /** An object without fields, as options may be. */
  const isEmpty = (operation: Operation, kind: string) =>
    kind === 'a Number object' && ['wake', 'cancel'].includes(operation);
  test.for(
    operations.flatMap((operation) =>
      Object.entries(strange)
        .filter(([kind]) => !isEmpty(operation, kind))
        .map(([kind, make]) => [operation, kind, make] as const),
    ),
  )('of %s that is %s is rejected', async ([operation, , make]) => {
    const args = operation.startsWith('claim') ? [make()] : ['s1', make()];
    expect(await errorOf(call(openSessions().sessions, operation, ...args))).toMatchObject({
      type: 'invalid_input',
    });
  });
});
