import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { UpdateInput } from '../../src/index.js';
import { answerOf } from '../../src/testing/answers.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

const labelled = (labels: Readonly<Record<string, string>>) => ({ ...ada, labels });

const opened = async (
  labels: Readonly<Record<string, string>> = {},
  options: Parameters<typeof openSessions>[0] = {},
) => {
  const all = openSessions(options);
  const { id } = await okOf(all.sessions.create(labelled(labels)));
  const labelsOf = async () => (await okOf(all.sessions.get(id))).labels;
  return { ...all, id, labelsOf };
};

const at = (seconds: number) =>
  new Date(Date.parse('2026-01-31T12:00:00.000Z') + seconds * 1000).toISOString();

describe('an update of labels', () => {
  test('sets and removes labels in one step, and keeps the others', async () => {
    const { sessions, id, labelsOf } = await opened({ draft: 'yes', user: 'u-1' });
    const updated = await okOf(
      sessions.update(id, { labels: { title: 'Tax return', draft: null } }),
    );
    expect(updated).toMatchObject({ id, status: 'IDLE', duration: 0 });
    expect(updated).not.toHaveProperty('repeated');
    expect(await labelsOf()).toEqual({ title: 'Tax return', user: 'u-1' });
    const idsWith = async (label: Readonly<Record<string, string>>) =>
      (await okOf(sessions.list({ labels: label }))).sessions.map((session) => session.id);
    expect(await idsWith({ title: 'Tax return' })).toEqual([id]);
    expect(await idsWith({ draft: 'yes' })).toEqual([]);
    await okOf(sessions.update(id, { labels: { title: null, user: null } }));
    expect(await labelsOf()).toEqual({});
  });

  test('keeps the labels of a concurrent update', async () => {
    const { sessions, id, labelsOf } = await opened();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(names.map((name) => okOf(sessions.update(id, { labels: { [name]: 'x' } }))));
    expect(Object.keys(await labelsOf())).toEqual(names);
  });

  test('leaves at most eight labels', async () => {
    const eight = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`n${n}`, 'x']));
    const { sessions, id, labelsOf } = await opened(eight);
    expect(await errorOf(sessions.update(id, { labels: { more: 'x' } }))).toMatchObject({
      type: 'invalid_input',
      issues: [
        { path: 'labels', message: 'must be at most 8 including the labels that the session has' },
      ],
    });
    expect(await labelsOf()).toEqual(eight);
    await okOf(sessions.update(id, { labels: { more: 'x', n0: null } }));
    expect(Object.keys(await labelsOf())).toHaveLength(8);
  });

  test('accepts plain names, with strings or null as values', async () => {
    const { sessions, id } = await opened();
    const names = 'labels must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -';
    const refused: readonly (readonly [unknown, string])[] = [
      [{}, 'labels or metadata is required'],
      [{ labels: 5 }, 'labels must be an object'],
      [{ labels: { 'a b': 'x' } }, names],
      [{ labels: { 'a b': null } }, names],
      [{ labels: { user: '' } }, 'labels.user must have 1 to 256 characters'],
      [{ labels: { user: 5 } }, 'labels.user must be a string'],
      [{ labels: { user: undefined } }, 'labels.user is required'],
      [{ labels: {}, label: {} }, 'label is unknown (did you mean labels?)'],
    ];
    for (const [input, message] of refused) {
      const call: ReturnType<typeof sessions.update> = Reflect.apply(sessions.update, sessions, [
        id,
        input,
      ]);
      expect(await errorOf(call)).toMatchObject({ type: 'invalid_input', message });
    }
    expect(await errorOf(sessions.update('nobody', { labels: { a: 'x' } }))).toMatchObject({
      type: 'not_found',
    });
    await okOf(sessions.update(id, { labels: { userId: 'u-1', 'A.b_c-9': 'x' } }));
  });

  test('writes nothing if it changes nothing', async () => {
    const { sessions, id, clock, store } = await opened({ user: 'u-1' });
    const before = await answerOf(store.find({ tenant: 'default', id }));
    clock.pass(1000);
    for (const labels of [{}, { user: 'u-1' }, { gone: null }] satisfies UpdateInput['labels'][]) {
      await okOf(sessions.update(id, { labels }));
    }
    expect(await answerOf(store.find({ tenant: 'default', id }))).toEqual(before);
  });

  test('is applied once per operation id', async () => {
    const { sessions, id, labelsOf } = await opened();
    const operation = { operationId: 'title-1' };
    await okOf(sessions.update(id, { labels: { title: 'first', a: 'x' } }, operation));
    await okOf(sessions.update(id, { labels: { title: 'second' } }));
    // The names may come in any order.
    const again = await okOf(
      sessions.update(id, { labels: { a: 'x', title: 'first' } }, operation),
    );
    expect(again).toMatchObject({ id, repeated: true });
    expect(await labelsOf()).toEqual({ a: 'x', title: 'second' });
    for (const call of [
      sessions.update(id, { labels: { title: 'third' } }, operation),
      sessions.start(id, operation),
    ]) {
      expect(await errorOf(call)).toMatchObject({ type: 'operation_mismatch', id });
    }
  });

  test('requires the lease of its fencing token, if given', async () => {
    const { sessions, id } = await opened();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
    const input = { labels: { title: 'x' } };
    expect(
      await errorOf(sessions.update(id, input, { fencingToken: fencingToken + 1 })),
    ).toMatchObject({
      type: 'lease_lost',
    });
    await okOf(sessions.update(id, input, { fencingToken }));
  });

  test('does not count as activity: it moves neither the status nor the deadline', async () => {
    const { sessions, id, clock } = await opened({}, { inactivityTimeout: 100, idleTimeout: 500 });
    clock.pass(10_000);
    expect(await okOf(sessions.update(id, { labels: { a: 'x' } }))).toMatchObject({
      status: 'IDLE',
      endsAt: at(500),
    });
    await okOf(sessions.start(id));
    clock.pass(99_000);
    const updated = await okOf(sessions.update(id, { labels: { a: 'y' } }));
    expect(updated).toMatchObject({ status: 'ACTIVE', duration: 99, endsAt: at(110) });
    expect((await okOf(sessions.get(id))).updatedAt).toBe(at(10));
  });

  test('changes the labels and the revision of an ended session, and nothing else', async () => {
    const { sessions, id, clock } = await opened({ user: 'u-1' });
    await okOf(sessions.start(id));
    await okOf(sessions.terminate(id));
    const before = await okOf(sessions.get(id));
    clock.pass(60_000);
    const updated = await okOf(sessions.update(id, { labels: { title: 'x' } }));
    expect(updated).toMatchObject({
      status: 'TERMINATED',
      endReason: 'terminated',
      endedAt: before.endedAt,
    });
    expect(updated.revision).not.toBe(before.revision);
    expect(await okOf(sessions.get(id))).toEqual({
      ...before,
      labels: { title: 'x', user: 'u-1' },
      revision: updated.revision,
    });
  });

  test('never revives an overdue session, whose end is reported first', async () => {
    const store = new MemorySessionStore({ events: true, reportEnds: true });
    const { sessions, id, clock } = await opened({ user: 'u-1' }, { store, inactivityTimeout: 30 });
    await okOf(sessions.start(id));
    const told: unknown[] = [];
    const done = new AbortController();
    const watching = (async () => {
      for await (const change of sessions.watchAll({ signal: done.signal, cursor: '0' })) {
        const event = change._unsafeUnwrap();
        told.push([
          event.type,
          'at' in event && event.at,
          'labelsChanged' in event ? event.labelsChanged : undefined,
        ]);
        if (event.type === 'session.updated') done.abort();
      }
    })();
    clock.pass(90_000);
    expect(await okOf(sessions.update(id, { labels: { title: 'x' } }))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'inactive',
      duration: 30,
      endedAt: at(30),
    });
    await watching;
    expect(told.slice(-2)).toEqual([
      ['session.terminated', at(30), undefined],
      ['session.updated', at(90), ['title']],
    ]);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endedAt: at(30),
      updatedAt: at(30),
    });
    const ends: unknown[] = [];
    await okOf(
      sessions.sweep(10, {
        onEnded: ({ labels, endReason }) => void ends.push([labels, endReason]),
      }),
    );
    expect(ends).toEqual([[{ title: 'x', user: 'u-1' }, 'inactive']]);
  });

  test('does not affect a repeated create', async () => {
    const { sessions } = openSessions();
    const input = { ...labelled({ user: 'u-1' }), idempotencyKey: 'call-1' };
    const { id } = await okOf(sessions.create(input));
    await okOf(sessions.update(id, { labels: { title: 'x', user: null } }));
    expect(await okOf(sessions.create(input))).toMatchObject({
      id,
      repeated: true,
      labels: { title: 'x' },
    });
    expect(await errorOf(sessions.create({ ...input, labels: { title: 'x' } }))).toMatchObject({
      type: 'idempotency_mismatch',
    });
  });
});
