import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Session } from '../../src/session/session.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';
import { changed, TextSessionStore } from '../support/store-doubles.js';

const once = { ...ada, timeLimit: 60, idempotencyKey: 'order-7' };

describe.for([
  ['in memory', () => new MemorySessionStore()],
  ['after a network', () => new TextSessionStore()],
] as const)('an idempotency key, on a store %s', ([, makeStore]) => {
  test('returns the same session for the same options', async () => {
    const { sessions, clock } = openSessions({ store: makeStore() });
    const first = await okOf(sessions.create(once));
    clock.pass(5000);
    const second = await okOf(sessions.create({ ...once, behavior: '', context: '' }));
    expect(first).not.toHaveProperty('repeated');
    expect(second).toEqual({ ...first, repeated: true });
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  test('returns the current state of the session, started and with its history', async () => {
    const { sessions, clock } = openSessions({ store: makeStore() });
    const { id } = await okOf(sessions.create(once));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    clock.pass(5000);
    const again = await okOf(sessions.create(once));
    expect(again).toMatchObject({
      id,
      status: 'ACTIVE',
      duration: 5,
      history: [{ content: 'hello' }],
      repeated: true,
    });
    clock.pass(55_000);
    expect(await okOf(sessions.create(once))).toMatchObject({
      id,
      status: 'TERMINATED',
      endReason: 'time_limit',
    });
  });

  test.for(['face', 'profile', 'behavior', 'context', 'timeLimit'] as const)(
    'is a mismatch with another %s, and changes nothing',
    async (field) => {
      const { sessions } = openSessions({ store: makeStore() });
      const first = await okOf(sessions.create(once));
      const error = await errorOf(
        sessions.create({ ...once, [field]: field === 'timeLimit' ? 61 : 'other' }),
      );
      expect(error).toEqual({
        type: 'idempotency_mismatch',
        message: 'this idempotency key was used before with other options',
        id: first.id,
      });
      expect({ ...(await okOf(sessions.get(first.id))) }).toEqual(first);
      expect((await okOf(sessions.list())).total).toBe(1);
    },
  );

  test('creates another session for another tenant', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const ours = await okOf(sessions.create(once));
    const theirs = await okOf(sessions.forTenant('globex').create({ ...once, face: 'bob' }));
    expect(theirs.id).not.toBe(ours.id);
    expect(theirs.options.face).toBe('bob');
  });

  test('is free again once the session is deleted', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const { id } = await okOf(sessions.create(once));
    await okOf(sessions.start(id));
    await okOf(sessions.delete(id));
    const anew = await okOf(sessions.create({ ...once, face: 'bob' }));
    expect(anew).toMatchObject({ status: 'IDLE', history: [], options: { face: 'bob' } });
  });

  test('creates one session for 20 concurrent creates', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const created = await Promise.all(
      Array.from({ length: 20 }, () => okOf(sessions.create(once))),
    );
    expect(new Set(created.map(({ id }: Session) => id)).size).toBe(1);
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  test('creates one session for 20 concurrent creates that differ, and fails the others', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        sessions.create({ ...once, face: `face ${index}` }),
      ),
    );
    expect(results.filter((result) => result.isOk())).toHaveLength(1);
    expect(
      new Set(results.flatMap((result) => (result.isErr() ? [result.error.type] : []))),
    ).toEqual(new Set(['idempotency_mismatch']));
  });
});

describe('a session that is deleted whenever its key is read', () => {
  /**
   * A store that answers `taken` to a number of inserts, and does not find the session afterwards.
   */
  const losing = (times: number) => {
    const inner = new MemorySessionStore();
    let left = times;
    const begin: SessionStore['begin'] = (commit) => {
      left -= 1;
      return left < 0 ? inner.begin(commit) : ok({ outcome: 'refused', guard: 'absent' });
    };
    return changed(inner, { begin });
  };

  test('is created again', async () => {
    const { sessions } = openSessions({ store: losing(2) });
    expect(await okOf(sessions.create(once))).toMatchObject({
      status: 'IDLE',
      options: { timeLimit: 60 },
    });
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  test('fails with conflict in the end', async () => {
    const { sessions } = openSessions({ store: losing(Number.POSITIVE_INFINITY) });
    expect(await errorOf(sessions.create(once))).toMatchObject({ type: 'conflict' });
    expect((await okOf(sessions.list())).total).toBe(0);
  });
});

describe('the id derived from an idempotency key', () => {
  test('is URL-safe, and does not reveal the key', async () => {
    const { sessions } = openSessions();
    for (const idempotencyKey of [
      'k',
      'a/b?c#d',
      '😀',
      'wamid.HBgL==',
      '{}:*',
      '__proto__',
      'x'.repeat(256),
    ]) {
      const { id } = await okOf(sessions.create({ ...ada, idempotencyKey }));
      expect(id).toMatch(/^[\w-]{22}$/);
      expect(await okOf(sessions.get(id))).toMatchObject({ id });
    }
    expect((await okOf(sessions.list())).total).toBe(7);
  });

  test('differs for similar keys, and for the same key of another tenant', async () => {
    const { sessions } = openSessions();
    const ids = new Set<string>();
    for (const [tenant, idempotencyKey] of [
      ['a', 'b'],
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a"', 'b'],
      ['a', '"b'],
      ['a', 'B'],
      ['a', 'b '],
      ['\uD800', 'b'],
      ['\uDBFF', 'b'],
      ['\uFFFD', 'b'],
    ] as const) {
      ids.add((await okOf(sessions.forTenant(tenant).create({ ...ada, idempotencyKey }))).id);
    }
    expect(ids.size).toBe(10);
  });

  test('never changes, in any process', async () => {
    const { sessions } = openSessions({ tenant: 'acme' });
    // SHA-256 of ["acme","order-7"], in base64url.
    expect((await okOf(sessions.create(once))).id).toBe('lU0vnXuS5ZZvlcY-GVdCjn');
  });
});

describe('a create without an idempotency key', () => {
  test('creates a session each time', async () => {
    const { sessions } = openSessions();
    expect((await okOf(sessions.create(ada))).id).not.toBe((await okOf(sessions.create(ada))).id);
  });

  test('draws another id if one is taken, a limited number of times', async () => {
    const drawn = ['s1', 's1', 's1', 's2'];
    const ids = { next: () => drawn.shift() ?? 's1' };
    const { sessions } = openSessions({ ids });
    await okOf(sessions.create(ada));
    await okOf(sessions.start('s1'));
    expect((await okOf(sessions.create(ada))).id).toBe('s2');
    expect(await errorOf(sessions.create({ ...ada, face: 'bob' }))).toMatchObject({
      type: 'conflict',
      id: 's1',
    });
    expect(await okOf(sessions.get('s1'))).toMatchObject({
      status: 'ACTIVE',
      options: { face: 'ada' },
    });
  });

  test.for(['', 'a b', 'a/b', 'x'.repeat(129), '\u00E9', 'a\n', null, 5, undefined])(
    'rejects an invalid generated id: %j',
    async (id) => {
      const ids = { next: () => JSON.parse(JSON.stringify({ id })).id };
      const { sessions } = openSessions({ ids });
      expect(await errorOf(sessions.create(ada))).toMatchObject({
        type: 'misconfigured',
        message: expect.stringMatching(/^ids must return/),
      });
      expect((await okOf(sessions.list())).total).toBe(0);
    },
  );

  test('reports a source of ids that throws', async () => {
    const { sessions } = openSessions({ ids: { next: () => JSON.parse('{') } });
    expect(await errorOf(sessions.create(ada))).toMatchObject({
      type: 'misconfigured',
      message: expect.stringMatching(/^ids must return/),
    });
  });
});
