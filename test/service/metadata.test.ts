import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { JsonObject } from '../../src/index.js';
import { due } from '../../src/testing/commits.js';
import { throwing } from '../support/hostile-values.js';
import { NOON } from '../support/manual-clock.js';
import { ada, call, errorOf, okOf, openSessions } from '../support/sessions.js';

const opened = async (
  metadata: JsonObject = {},
  options: Parameters<typeof openSessions>[0] = {},
) => {
  const all = openSessions(options);
  const { id } = await okOf(all.sessions.create({ ...ada, metadata }));
  const metadataOf = async () => (await okOf(all.sessions.get(id))).metadata;
  return { ...all, id, metadataOf };
};

/** Metadata with this size in bytes of UTF-8. */
const sized = (bytes: number): JsonObject => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

const cyclic = (): object => {
  const value: { self?: object; more?: object } = {};
  value.self = value;
  value.more = value;
  return value;
};

/** A small object whose JSON would contain more values than the universe has atoms. */
const exploding = (): object => {
  let value: object = {};
  for (let depth = 0; depth < 60; depth += 1) value = { a: value, b: value, c: value };
  return value;
};

const hostile: readonly (readonly [what: string, make: () => unknown])[] = [
  ['a cycle', cyclic],
  ['an exploding object', exploding],
  ['a getter', () => Object.defineProperty({}, 'a', { get: () => 1, enumerable: true })],
  ['a nested getter', () => ({ a: [Object.defineProperty({}, 'b', { get: () => throwing() })] })],
  ['a throwing object', throwing],
  ['a nested throwing object', () => ({ a: throwing() })],
  ['a member __proto__', () => JSON.parse('{"__proto__": {"isAdmin": true}}')],
  ['a nested member __proto__', () => JSON.parse('{"a": [{"__proto__": {"isAdmin": true}}]}')],
  ['a bigint', () => ({ a: 1n })],
  ['a function', () => ({ toJSON: () => ({}) })],
  ['a symbol', () => ({ a: Symbol('a') })],
  ['a date', () => ({ a: new Date(0) })],
  ['a map', () => new Map()],
  ['NaN', () => ({ a: Number.NaN })],
  ['an array', () => []],
  ['a string', () => '{}'],
  ['a number', () => 5],
];

describe('metadata', () => {
  test('is set by create, and returned by every read', async () => {
    const metadata = { title: 'Tax return', summary: null, steps: [1, { done: false }] };
    const { sessions, id } = await opened(metadata);
    expect(await okOf(sessions.get(id))).toMatchObject({ metadata });
    expect((await okOf(sessions.list())).sessions).toMatchObject([{ metadata }]);
    expect((await okOf(sessions.create({ ...ada, metadata }))).metadata).toEqual(metadata);
    expect((await okOf(sessions.create(ada))).metadata).toEqual({});
    const fork = await okOf(sessions.create({ ...ada, from: { id }, metadata: { isFork: true } }));
    expect(await okOf(sessions.get(fork.id))).toMatchObject({
      metadata: { isFork: true },
      origin: { id },
    });
    expect((await okOf(sessions.create({ ...ada, from: { id } }))).metadata).toEqual({});
  });

  test('stays the same in every status and through every command', async () => {
    const { sessions, id, metadataOf } = await opened({ title: 'x' });
    await okOf(sessions.start(id));
    await okOf(sessions.pause(id));
    await okOf(sessions.extend(id, { timeLimit: 60 }));
    await okOf(sessions.resume(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'w', seconds: 9 }));
    await okOf(sessions.release(id, { fencingToken }));
    await okOf(sessions.terminate(id));
    expect(await metadataOf()).toEqual({ title: 'x' });
    await okOf(sessions.update(id, { metadata: { title: 'y' } }));
    expect(await metadataOf()).toEqual({ title: 'y' });
  });

  test('is copied: changing given or read objects changes nothing in the store', async () => {
    const given = { list: [{ a: 1 }] };
    const { sessions, metadataOf } = await opened(given);
    given.list.push({ a: 2 });
    const listed = (await okOf(sessions.list())).sessions[0]?.metadata ?? {};
    for (const { list } of [await metadataOf(), listed]) Reflect.set(Object(list), 0, 'changed');
    expect(await metadataOf()).toEqual({ list: [{ a: 1 }] });
  });

  test('is part of what an idempotency key identifies, in any order of names', async () => {
    const { sessions } = openSessions();
    const input = { ...ada, idempotencyKey: 'key', metadata: { a: 1, b: { c: 1, d: 2 } } };
    const { id } = await okOf(sessions.create(input));
    const same = { ...input, metadata: { b: { d: 2, c: 1 }, a: 1 } };
    expect(await okOf(sessions.create(same))).toMatchObject({ id, repeated: true });
    for (const metadata of [{ a: 1 }, {}, { ...input.metadata, e: null }]) {
      expect(await errorOf(sessions.create({ ...input, metadata }))).toMatchObject({
        type: 'idempotency_mismatch',
      });
    }
  });

  test('omits undefined members, like JSON', async () => {
    const { sessions, id, metadataOf } = await opened({ a: undefined, b: { c: undefined, d: 1 } });
    expect(await metadataOf()).toStrictEqual({ b: { d: 1 } });
    await okOf(sessions.update(id, { metadata: { b: undefined } }));
    expect(await metadataOf()).toStrictEqual({ b: { d: 1 } });
  });

  test.each(hostile)(
    'is invalid, and changes nothing, if it is or contains %s',
    async (_, make) => {
      const { sessions, id, store } = await opened({ title: 'x' });
      const before = await store.find({ tenant: 'default', id });
      const named = { type: 'invalid_input', issues: [{ path: 'metadata' }] };
      expect(await errorOf(call(sessions, 'create', { ...ada, metadata: make() }))).toMatchObject(
        named,
      );
      expect(await errorOf(call(sessions, 'update', id, { metadata: make() }))).toMatchObject(
        named,
      );
      expect(await store.find({ tenant: 'default', id })).toEqual(before);
      expect((await okOf(sessions.list())).total).toBe(1);
      expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    },
  );

  test('is limited to 16 KiB of JSON or limits.metadataBytes, also after an update', async () => {
    const { sessions, id, metadataOf } = await opened(sized(16_384));
    const refused = (bytes: number) => ({
      type: 'invalid_input',
      issues: [
        {
          path: 'metadata',
          message: expect.stringContaining(`at most ${bytes} bytes of UTF-8 as JSON`),
        },
      ],
    });
    expect(await errorOf(sessions.create({ ...ada, metadata: sized(16_385) }))).toMatchObject(
      refused(16_384),
    );
    expect(await errorOf(sessions.update(id, { metadata: { more: 1 } }))).toMatchObject(
      refused(16_384),
    );
    expect(await metadataOf()).toEqual(sized(16_384));
    await okOf(sessions.update(id, { metadata: { more: 1, text: null } }));
    expect(await metadataOf()).toEqual({ more: 1 });

    const small = openSessions({ limits: { metadataBytes: 20 } }).sessions;
    const six = { a: '\u20ac\u20ac\u20ac\u20ac' }; // 8 bytes around four characters of three bytes each
    expect((await okOf(small.create({ ...ada, metadata: six }))).metadata).toEqual(six);
    expect(await errorOf(small.create({ ...ada, metadata: { ...six, b: 1 } }))).toMatchObject(
      refused(20),
    );
  });

  test('counts towards the bytes of a read', async () => {
    const { sessions, id } = await opened(sized(10_000));
    const error = await errorOf(sessions.get(id, { maxBytes: 10_000 }));
    expect(error).toMatchObject({ type: 'page_too_large', limit: 10_000 });
    await okOf(sessions.get(id, { maxBytes: 12_000 }));
  });

  test('is erased by a deletion, even if the end must still be reported', async () => {
    const { sessions, id, store } = await opened({ secret: 'x' }, { reportEnds: true });
    await okOf(sessions.delete(id));
    const keys = await due(store, NOON + 86_400_000);
    expect(keys).toHaveLength(1);
    for (const key of keys) {
      const state = (await store.findState(key))._unsafeUnwrap();
      expect(state).toMatchObject({ report: expect.anything() });
      expect(state).not.toHaveProperty('metadata');
    }
  });

  test('changes with one event that names the changed labels, and is in the session of a watch', async () => {
    const store = new MemorySessionStore({ events: true });
    const { sessions, id } = await opened({ a: 1 }, { store });
    const told: unknown[] = [];
    const iterator = sessions.watchAll({ cursor: '0', sessions: true })[Symbol.asyncIterator]();
    await okOf(sessions.update(id, { labels: { user: 'u-1' }, metadata: { b: 2 } }));
    await okOf(sessions.update(id, { labels: { user: 'u-2' } }));
    await okOf(sessions.update(id, { metadata: { a: null } }));
    while (told.length < 4) told.push((await iterator.next()).value?._unsafeUnwrap());
    await iterator.return?.();
    const type = 'session.updated';
    expect(told).toMatchObject([
      { type: 'session.created', sequence: 1 },
      {
        type,
        sequence: 2,
        labelsChanged: ['user'],
        metadataChanged: true,
        session: { metadata: { b: 2 } },
      },
      { type, sequence: 3, labelsChanged: ['user'] },
      { type, sequence: 4, labelsChanged: [], metadataChanged: true },
    ]);
    expect(told[2]).not.toHaveProperty('metadataChanged');
    expect(told[1]).not.toHaveProperty('metadata');
  });
});
