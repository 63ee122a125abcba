import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, type SessionServiceOptions } from '../../src/index.js';
import { throwing } from '../support/hostile-values.js';
import { custom, issuesOf, openWithSchemas as open, said, Tool, User } from '../support/schemas.js';
import { ada, errorOf, okOf, startedIn } from '../support/sessions.js';

const huge = () => Array.from({ length: 1_000_000 }, () => ({ message: 'x'.repeat(1000) }));

describe('schema issues', () => {
  test('are limited to twenty, with short messages and paths', async () => {
    const { sessions } = open({ metadata: custom(() => ({ issues: huge() })) });
    const issues = await issuesOf(sessions.create(ada));
    expect(issues).toHaveLength(20);
    expect(JSON.stringify(issues).length).toBeLessThan(20_000);
    const path = Array.from({ length: 1_000_000 }, () => 'a\u001b');
    const deep = open({ metadata: custom(() => ({ issues: [{ message: 'a\nb', path }] })) });
    const [issue] = Object.values(await issuesOf(deep.sessions.create(ada)));
    expect(issue).toMatchObject({ message: 'a b' });
    expect(JSON.stringify(issue).length).toBeLessThan(4000);
    expect(JSON.stringify(issue)).not.toContain('\\u001b');
  });

  test('may have keys of any kind in their paths', async () => {
    const path = ['a', 0, { key: 'b' }, { key: 1 }, Symbol('c'), '2', {}, null];
    const { sessions } = open({ metadata: custom(() => ({ issues: [{ message: 'no', path }] })) });
    expect(await issuesOf(sessions.create(ada))).toEqual([
      { path: 'metadata.a[0].b[1].Symbol(c).2', message: 'no' },
    ]);
  });
});

const broken: readonly (readonly [string, () => unknown])[] = [
  ['throws', () => throwing().toString()],
  ['rejects', () => Promise.reject(new Error('down'))],
  ['throws nothing', () => Promise.reject()],
  ['returns undefined', () => undefined],
  ['returns null', () => null],
  ['returns a text', () => 'fine'],
  ['returns an empty object', () => ({})],
  ['returns no issues in a list', () => ({ issues: [] })],
  ['returns issues that are no list', () => ({ issues: true })],
  ['returns issues without messages', () => ({ issues: [{}] })],
  ['returns issues that are null', () => ({ issues: [null] })],
  ['returns a throwing object', () => throwing()],
  ['returns throwing issues', () => ({ issues: throwing() })],
  ['returns an issue that throws', () => ({ issues: [throwing()] })],
  ['makes a date', () => ({ value: { at: new Date(0) } })],
  ['makes a function', () => ({ value: () => 1 })],
  ['makes a bigint', () => ({ value: { big: 1n } })],
  ['makes a throwing object', () => ({ value: throwing() })],
];

describe("a host's schema that", () => {
  test.each(broken)('%s fails the call with misconfigured', async (_what, validate) => {
    const { sessions, lax } = open({ metadata: custom(validate), data: custom(validate) });
    const named = (option: string) => ({
      type: 'misconfigured',
      message: expect.stringContaining(option),
    });
    expect(await errorOf(sessions.create(ada))).toMatchObject(named('schemas.metadata'));
    const id = await startedIn(lax);
    const update = sessions.update(id, { metadata: { a: 1 } });
    expect(await errorOf(update)).toMatchObject(named('schemas.metadata'));
    const append = sessions.append(id, [said(1)]);
    expect(await errorOf(append)).toMatchObject(named('schemas.data'));
    expect(await okOf(lax.get(id))).toMatchObject({ metadata: {}, history: [] });
  });

  test.each([[[]], ['text'], [5], [null]])(
    'turns metadata into %j fails the call with misconfigured',
    async (value) => {
      const { sessions } = open({ metadata: custom(() => ({ value })) });
      expect(await errorOf(sessions.create(ada))).toMatchObject({
        type: 'misconfigured',
        message: 'the output of schemas.metadata must be an object',
      });
    },
  );

  test('is asynchronous is awaited', async () => {
    const later = z.object({ user: z.string().refine(async (name) => name !== 'eve', 'no Eve') });
    const { sessions } = open({ metadata: later });
    const { id } = await okOf(sessions.create({ ...ada, metadata: { user: 'ada' } }));
    const create = sessions.create({ ...ada, metadata: { user: 'eve' } });
    const expected = [{ path: 'metadata.user', message: 'no Eve' }];
    expect(await issuesOf(create)).toEqual(expected);
    const update = sessions.update(id, { metadata: { user: 'eve' } });
    expect(await issuesOf(update)).toEqual(expected);
  });

  test("changes its input does not change the caller's object", async () => {
    const changing = custom((value) => ({
      value: Object.assign(Object(value), { changed: true }),
    }));
    const { sessions } = open({ metadata: changing });
    const metadata = { user: 'ada' };
    const created = await okOf(sessions.create({ ...ada, metadata }));
    expect(created.metadata).toEqual({ user: 'ada', changed: true });
    expect(metadata).toEqual({ user: 'ada' });
  });
});

describe('the option schemas', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [null, 'schemas must be an object'],
    [{ metadata: {} }, 'schemas.metadata must be a Standard Schema, such as one of Zod'],
    [{ data: { '~standard': { version: 2, validate: () => 1 } } }, 'schemas.data must be a'],
    [{ data: { '~standard': { version: 1 } } }, 'schemas.data must be a Standard Schema'],
    [{ data: 'string' }, 'schemas.data must be a Standard Schema'],
    [{ metdata: User }, 'schemas.metdata is unknown (did you mean metadata?)'],
    [{ onRead: 'yes' }, 'schemas.onRead must be true or false'],
    [{ jsonSchema: { data: {} } }, 'schemas.jsonSchema.data must be a function'],
    [throwing(), 'cannot be read'],
  ];

  test.each(wrong)('throws a TypeError for invalid schemas: %#', (schemas, message) => {
    const options = { store: new MemorySessionStore(), schemas } as SessionServiceOptions;
    expect(() => new SessionService(options)).toThrow(TypeError);
    expect(() => new SessionService(options)).toThrow(message);
  });

  test('applies to the services of other tenants and of leases', async () => {
    const { sessions } = open({ data: Tool });
    const other = sessions.forTenant('globex');
    const id = await startedIn(other);
    const lease = { holder: 'worker', seconds: 30 };
    const used = await other.withLease(id, lease, ({ sessions: own }) => own.append(id, [said(1)]));
    expect(used._unsafeUnwrapErr().type).toBe('invalid_input');
  });
});
