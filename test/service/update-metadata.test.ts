import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type JsonObject, SessionService } from '../../src/index.js';
import { answerOf } from '../../src/testing/answers.js';
import { upTo } from '../../src/testing/samples.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const opened = async (
  metadata: JsonObject = {},
  options: Parameters<typeof openSessions>[0] = {},
) => {
  const all = openSessions(options);
  const { id, revision } = await okOf(all.sessions.create({ ...ada, metadata }));
  const metadataOf = async () => (await okOf(all.sessions.get(id))).metadata;
  return { ...all, id, revision, metadataOf };
};

describe('an update of metadata', () => {
  test('sets and removes members, replaces nested values completely, and keeps the others', async () => {
    const { sessions, id, metadataOf } = await opened({ a: { x: 1, y: 2 }, b: 1, c: [1, 2] });
    await okOf(
      sessions.update(id, { metadata: { a: { x: null }, b: null, gone: null, d: 'new' } }),
    );
    expect(await metadataOf()).toEqual({ a: { x: null }, c: [1, 2], d: 'new' });
    await okOf(sessions.update(id, { metadata: { a: null, c: null, d: null } }));
    expect(await metadataOf()).toEqual({});
  });

  test('changes labels in the same step, or neither', async () => {
    const { sessions, id } = await opened({}, { limits: { metadataBytes: 20 } });
    await okOf(sessions.update(id, { labels: { user: 'u-1' }, metadata: { a: 1 } }));
    const long = 'x'.repeat(20);
    const many = Object.fromEntries(upTo(9).map((at) => [`n${at}`, 'x']));
    expect(
      await errorOf(sessions.update(id, { labels: { user: 'u-2' }, metadata: { long } })),
    ).toMatchObject({
      issues: [{ path: 'metadata' }],
    });
    expect(await errorOf(sessions.update(id, { labels: many, metadata: { a: 2 } }))).toMatchObject({
      issues: [{ path: 'labels' }],
    });
    expect(await okOf(sessions.get(id))).toMatchObject({
      labels: { user: 'u-1' },
      metadata: { a: 1 },
    });
  });

  test('writes nothing if it changes nothing, in any order of names', async () => {
    const { sessions, id, revision, store } = await opened({ a: { x: [{ p: 1, q: 2 }], y: 2 } });
    const before = await answerOf(store.find({ tenant: 'default', id }));
    for (const metadata of [
      {},
      { gone: null },
      { a: { y: 2, x: [{ q: 2, p: 1 }] } },
      { b: undefined },
    ]) {
      expect(await okOf(sessions.update(id, { metadata }))).toMatchObject({ revision });
    }
    expect(await answerOf(store.find({ tenant: 'default', id }))).toEqual(before);
    const other = await okOf(
      sessions.update(id, { metadata: { a: { y: 2, x: [{ q: 2 }, { p: 1 }] } } }),
    );
    expect(other.revision).not.toBe(revision);
  });

  test('is applied once per operation id, in any order of names', async () => {
    const { sessions, id, metadataOf } = await opened();
    const operation = { operationId: 'compact-1' };
    const first = { metadata: { a: { x: 1, y: 2 }, b: 1 }, labels: { t: 'x' } };
    await okOf(sessions.update(id, first, operation));
    await okOf(sessions.update(id, { metadata: { b: 2 } }));
    const again = { labels: { t: 'x' }, metadata: { b: 1, a: { y: 2, x: 1 } } };
    expect(await okOf(sessions.update(id, again, operation))).toMatchObject({ id, repeated: true });
    expect(await metadataOf()).toMatchObject({ b: 2 });
    expect(
      await errorOf(sessions.update(id, { metadata: first.metadata }, operation)),
    ).toMatchObject({
      type: 'operation_mismatch',
    });
  });

  test('requires the lease of its fencing token, if given', async () => {
    const { sessions, id } = await opened();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
    const lost = sessions.update(id, { metadata: { a: 1 } }, { fencingToken: fencingToken + 1 });
    expect(await errorOf(lost)).toMatchObject({ type: 'lease_lost' });
    await okOf(sessions.update(id, { metadata: { a: 1 } }, { fencingToken }));
  });
});

describe.for([
  ['in memory', () => new MemorySessionStore()],
  ['after a network', () => new TextSessionStore()],
] as const)('concurrent updates, on a store %s', ([, makeStore]) => {
  test('are all applied, also from several processes', async () => {
    const { sessions, id, store, metadataOf } = await opened({}, { store: makeStore() });
    const others = new SessionService({ store });
    const names = upTo(60).map((at) => `n${at}`);
    const update = (name: string, at: number) =>
      okOf((at % 2 === 0 ? sessions : others).update(id, { metadata: { [name]: at } }));
    await Promise.all(names.map(update));
    expect(await metadataOf()).toEqual(Object.fromEntries(names.map((name, at) => [name, at])));
  });

  test('are applied once with the same ifRevision, and the others fail with conflict', async () => {
    const { sessions, id, revision, store, metadataOf } = await opened({}, { store: makeStore() });
    const others = new SessionService({ store });
    const updates = upTo(20).map((at) =>
      (at % 2 === 0 ? sessions : others).update(
        id,
        { metadata: { winner: at } },
        { ifRevision: revision },
      ),
    );
    const results = await Promise.all(updates);
    const winners = results.flatMap((result, at) => (result.isOk() ? [at] : []));
    expect(winners).toHaveLength(1);
    expect(await metadataOf()).toEqual({ winner: winners[0] });
    for (const result of results) {
      if (result.isErr()) expect(result.error).toMatchObject({ type: 'conflict', id });
    }
  });

  test('lose no increment with ifRevision', async () => {
    const { sessions, id, metadataOf } = await opened({ count: 0 }, { store: makeStore() });
    const countUp = async (): Promise<void> => {
      for (;;) {
        const { metadata, revision } = await okOf(sessions.get(id));
        const next = { metadata: { count: Number(metadata['count']) + 1 } };
        const updated = await sessions.update(id, next, { ifRevision: revision });
        if (updated.isOk()) return;
        expect(updated.error.type).toBe('conflict');
      }
    };
    await Promise.all(upTo(10).map(countUp));
    expect(await metadataOf()).toEqual({ count: 10 });
  });
});

describe('the revision of a session', () => {
  test('is returned by create, get, list, commands and updates, and is not changed by entries', async () => {
    const { sessions, id, revision } = await opened();
    expect(await okOf(sessions.get(id))).toMatchObject({ revision });
    const started = await okOf(sessions.start(id));
    expect(started.revision).not.toBe(revision);
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    expect((await okOf(sessions.list())).sessions).toMatchObject([{ revision: started.revision }]);
    const ifRevision = started.revision;
    const updated = await okOf(sessions.update(id, { metadata: { a: 1 } }, { ifRevision }));
    expect(await okOf(sessions.get(id))).toMatchObject({ revision: updated.revision });
    const late = await errorOf(sessions.update(id, { metadata: { a: 2 } }, { ifRevision }));
    expect(late.message).toBe('the session has another revision: it was changed since it was read');
  });

  test('must match ifRevision even if the update would change nothing', async () => {
    const { sessions, id, revision } = await opened({ a: 1 });
    await okOf(sessions.update(id, { metadata: { a: 1 } }, { ifRevision: revision }));
    const wrong = sessions.update(id, { metadata: { a: 1 } }, { ifRevision: revision + 1 });
    expect(await errorOf(wrong)).toMatchObject({ type: 'conflict' });
    for (const ifRevision of [0, -1, 1.5, Number.NaN]) {
      const odd = sessions.update(id, { metadata: { a: 2 } }, { ifRevision });
      expect(await errorOf(odd)).toMatchObject({ issues: [{ path: 'ifRevision' }] });
    }
  });

  test('is not checked for a repeated operation', async () => {
    const { sessions, id, revision } = await opened();
    const options = { operationId: 'op', ifRevision: revision };
    await okOf(sessions.update(id, { metadata: { a: 1 } }, options));
    expect(await okOf(sessions.update(id, { metadata: { a: 1 } }, options))).toMatchObject({
      repeated: true,
    });
  });

  test('is valid for an update if it was read from an overdue session', async () => {
    const { sessions, id, clock } = await opened({}, { inactivityTimeout: 30 });
    await okOf(sessions.start(id));
    clock.pass(90_000);
    const read = await okOf(sessions.get(id));
    expect(read).toMatchObject({ status: 'TERMINATED', endReason: 'inactive' });
    const ifRevision = read.revision;
    const updated = await okOf(sessions.update(id, { metadata: { a: 1 } }, { ifRevision }));
    expect(updated).toMatchObject({ status: 'TERMINATED', endedAt: read.endedAt });
    expect(
      await errorOf(sessions.update(id, { metadata: { a: 2 } }, { ifRevision })),
    ).toMatchObject({
      type: 'conflict',
    });
    expect(await okOf(sessions.get(id))).toMatchObject({
      metadata: { a: 1 },
      endReason: 'inactive',
    });
  });
});
