import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  custom,
  issuesOf,
  openWithSchemas as open,
  type Schemas,
  said,
  Tool,
  User,
} from '../support/schemas.js';
import { ada, call, createdIn, errorOf, okOf, startedIn } from '../support/sessions.js';

const libraries: readonly (readonly [string, Schemas])[] = [
  ['Zod', { metadata: User, data: Tool }],
  [
    'Valibot',
    {
      metadata: v.object({ user: v.object({ name: v.string() }), step: v.optional(v.number()) }),
      data: v.object({ kind: v.picklist(['call', 'result']) }),
    },
  ],
  [
    'ArkType',
    {
      metadata: type({ user: { name: 'string' }, 'step?': 'number' }),
      data: type({ kind: "'call' | 'result'" }),
    },
  ],
];

describe.each(libraries)('schemas of %s', (_library, schemas) => {
  const metadata = { user: { name: 'Ada' } };

  test('report the path of what is wrong, in every write of metadata', async () => {
    const { sessions } = open(schemas);
    const wrong = { user: { name: 5 } };
    const path = 'metadata.user.name';
    const { id } = await okOf(sessions.create({ ...ada, metadata }));
    expect(await issuesOf(call(sessions, 'create', { ...ada, metadata: wrong }))).toMatchObject([
      { path },
    ]);
    const asked = { ...ada, id: 'own', metadata: wrong };
    expect(await issuesOf(call(sessions, 'getOrCreate', asked))).toMatchObject([{ path }]);
    const fork = { ...ada, from: { id }, metadata: wrong };
    expect(await issuesOf(call(sessions, 'create', fork))).toMatchObject([{ path }]);
    const update = call(sessions, 'update', id, { metadata: wrong });
    expect(await issuesOf(update)).toMatchObject([{ path }]);
    expect((await okOf(sessions.get(id))).metadata).toEqual(metadata);
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  test('report the path of what is wrong, in every write of entries', async () => {
    const { sessions } = open(schemas);
    const entries = [said(), said({ kind: 'call' }), said({ kind: 'answer' })];
    const expected = [{ path: 'entries[2].data.kind', message: expect.any(String) }];
    const { id } = await okOf(sessions.create({ ...ada, metadata, start: true }));
    const create = { ...ada, metadata, entries };
    expect(await issuesOf(call(sessions, 'create', create))).toEqual(expected);
    const asked = { ...create, id: 'own' };
    expect(await issuesOf(call(sessions, 'getOrCreate', asked))).toEqual(expected);
    expect(await issuesOf(call(sessions, 'append', id, entries))).toEqual(expected);
    const rewind = { to: 0, ifPosition: 0, entries };
    expect(await issuesOf(call(sessions, 'rewind', id, rewind))).toEqual(expected);
    expect((await okOf(sessions.get(id))).history).toEqual([]);
    await okOf(sessions.append(id, entries.slice(0, 2)));
    expect((await okOf(sessions.get(id))).history).toMatchObject(entries.slice(0, 2));
  });

  test('describe themselves as JSON Schema, if the library can', () => {
    const json = open(schemas).sessions.policy.schemas?.metadata?.jsonSchema('input');
    if (_library !== 'Valibot') expect(json).toMatchObject({ required: ['user'] });
    const own = { ...schemas, jsonSchema: { metadata: () => ({ title: 'Own' }) } };
    const { schemas: read } = open(own).sessions.policy;
    expect(read?.metadata?.jsonSchema('input')).toEqual({ title: 'Own' });
  });
});

describe('a metadata schema', () => {
  test('validates {} if a create has no metadata', async () => {
    const { sessions } = open({ metadata: User });
    const path = 'metadata.user';
    expect(await issuesOf(sessions.create(ada))).toMatchObject([{ path }]);
    expect(await issuesOf(sessions.create({ ...ada, metadata: {} }))).toMatchObject([{ path }]);
    const optional = open({ metadata: z.object({ plan: z.string().default('free') }) });
    const { metadata } = await okOf(optional.sessions.create(ada));
    expect(metadata).toEqual({ plan: 'free' });
  });

  test('validates the result of an update, not the change', async () => {
    const { sessions } = open({ metadata: User });
    const { id } = await okOf(sessions.create({ ...ada, metadata: { user: { name: 'Ada' } } }));
    await okOf(sessions.update(id, { metadata: { step: 2 } }));
    const gone = sessions.update(id, { metadata: { user: null } });
    expect(await issuesOf(gone)).toMatchObject([{ path: 'metadata.user' }]);
    const { metadata } = await okOf(sessions.get(id));
    expect(metadata).toEqual({ user: { name: 'Ada' }, step: 2 });
  });

  test('is skipped by an update of labels alone, and by one that changes nothing', async () => {
    const { sessions, lax } = open({ metadata: User });
    const id = await createdIn(lax);
    await okOf(sessions.update(id, { labels: { topic: 'bridges' } }));
    await okOf(sessions.update(id, { metadata: { user: null } }));
    expect(await okOf(sessions.get(id))).toMatchObject({
      metadata: {},
      labels: { topic: 'bridges' },
    });
  });

  test('determines the stored output, and writes nothing if that is stored already', async () => {
    const { sessions } = open({ metadata: User });
    const created = await okOf(sessions.create({ ...ada, metadata: { user: { name: ' Ada ' } } }));
    expect(created.metadata).toEqual({ user: { name: 'Ada' } });
    const { revision } = await okOf(
      sessions.update(created.id, { metadata: { user: { name: 'Ada  ' } } }),
    );
    expect(revision).toBe(created.revision);
  });

  test('validates each state that an update is decided on', async () => {
    let checks = 0;
    const most = 3;
    const counted = custom((value) => {
      checks += 1;
      const isFull = Object.keys(Object(value)).length > most;
      return isFull ? { issues: [{ message: 'is full' }] } : { value };
    });
    const { sessions } = open({ metadata: counted });
    const id = await createdIn(sessions);
    const updates = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      sessions.update(id, { metadata: { [name]: true } }),
    );
    const done = await Promise.all(updates);
    expect(done.filter((each) => each.isOk())).toHaveLength(most);
    expect(Object.keys((await okOf(sessions.get(id))).metadata)).toHaveLength(most);
    expect(checks).toBeGreaterThan(updates.length);
  });
});

describe('the data schema of entries', () => {
  test('is skipped for an entry without data', async () => {
    const { sessions } = open({ data: z.never() });
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [said(), { ...said(), data: null }]));
    expect(await issuesOf(call(sessions, 'append', id, [said(0)]))).toMatchObject([
      { path: 'entries[0].data' },
    ]);
  });

  test('determines the stored output', async () => {
    const { sessions } = open({ data: Tool });
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [said({ kind: 'call', unknown: true })]));
    const { entries } = await okOf(sessions.history(id));
    expect(entries[0]?.data).toEqual({ kind: 'call', count: 1 });
  });

  test('is not applied again to data that a fork copies', async () => {
    const { sessions, lax } = open({ data: Tool });
    const id = await startedIn(lax);
    await okOf(lax.append(id, [said('old')]));
    const fork = await okOf(sessions.create({ ...ada, from: { id } }));
    expect(fork.history).toMatchObject([{ data: 'old' }]);
  });
});

describe('a repeated call with schemas', () => {
  const random = z.looseObject({ token: z.number().default(() => Math.random()) });

  test('is recognised by its input, even with random defaults', async () => {
    const { sessions } = open({ metadata: random, data: random });
    const input = { ...ada, idempotencyKey: 'key-1', start: true, entries: [said({})] };
    const { id, metadata } = await okOf(sessions.create(input));
    expect(await okOf(sessions.create(input))).toMatchObject({ id, metadata, repeated: true });
    const append = () => sessions.append(id, [said({})], { operationId: 'message-1' });
    const { position } = await okOf(append());
    expect(await okOf(append())).toEqual({ position, repeated: true });
    const update = () =>
      sessions.update(id, { metadata: { more: 1 } }, { operationId: 'update-1' });
    await okOf(update());
    expect(await okOf(update())).toMatchObject({ repeated: true });
    const other = sessions.append(id, [said({ token: 2 })], { operationId: 'message-1' });
    expect((await errorOf(other)).type).toBe('operation_mismatch');
  });

  test('is recognised by its input, even if the schema changes that in place', async () => {
    const changing = custom((value) => ({
      value: Object.assign(Object(value), { at: Math.random() }),
    }));
    const { sessions } = open({ metadata: changing, data: changing });
    const id = await startedIn(sessions);
    const append = () => sessions.append(id, [said({})], { operationId: 'message-1' });
    await okOf(append());
    expect(await okOf(append())).toMatchObject({ repeated: true });
  });

  test('does not write after its lease was lost, however long the schema takes', async () => {
    let fail = () => {};
    const slow = custom(
      (value) =>
        new Promise((resolve) => {
          fail = () => resolve({ value });
        }),
    );
    const { sessions, lax } = open({ data: slow });
    const id = await startedIn(lax);
    const { fencingToken } = await okOf(lax.lease(id, { holder: 'a', seconds: 30 }));
    const append = sessions.append(id, [said(1)], { fencingToken });
    await okOf(lax.release(id, { fencingToken }));
    await okOf(lax.lease(id, { holder: 'b', seconds: 30 }));
    fail();
    expect((await errorOf(append)).type).toBe('lease_lost');
  });
});

describe('size limits', () => {
  test('apply to the output of a schema', async () => {
    const long = z.any().transform(() => ({ text: 'x'.repeat(100) }));
    const limits = { metadataBytes: 50, contentBytes: 50 };
    const { sessions } = open({ metadata: long }, { limits });
    const rule = 'must have at most 50 bytes of UTF-8 as JSON';
    expect(await issuesOf(sessions.create(ada))).toEqual([{ path: 'metadata', message: rule }]);
    const { sessions: withData } = open({ data: long }, { limits });
    const id = await startedIn(withData);
    expect(await issuesOf(withData.append(id, [said(1)]))).toEqual([
      { path: 'entries[0].data', message: `${rule}, together with the content` },
    ]);
  });
});
