import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { ada, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

/** Mutates everything that is not frozen, innermost values first. */
const vandalize = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    vandalize(inner);
    Reflect.set(value, name, 'vandalized');
  }
  Reflect.set(value, Array.isArray(value) ? value.length : 'added', 'vandalized');
};

describe.for([
  ['in memory', () => new MemorySessionStore()],
  ['after a network', () => new TextSessionStore()],
] as const)('the ownership of objects, on a store %s', ([, makeStore]) => {
  test('lets a caller change what it receives without changing it for others', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    const before = structuredClone({ ...(await okOf(sessions.get(id))) });
    const onceMore = { ...ada, idempotencyKey: 'k' };
    const { id: other } = await okOf(sessions.create(onceMore));
    vandalize(await okOf(sessions.create(onceMore)));
    vandalize(await okOf(sessions.get(id)));
    vandalize((await okOf(sessions.get(id))).history);
    vandalize((await okOf(sessions.get(id))).options);
    vandalize(await okOf(sessions.list()));
    vandalize(
      await okOf(sessions.append(id, [{ role: 'user', content: 'bye' }], { operationId: 'op' })),
    );
    vandalize(await okOf(sessions.pause(id, { operationId: 'pause' })));
    vandalize(await okOf(sessions.pause(id, { operationId: 'pause' })));
    await okOf(sessions.resume(id));
    expect({ ...(await okOf(sessions.get(id))) }).toEqual({
      ...before,
      revision: expect.any(Number),
      history: [
        ...before.history,
        { role: 'user', content: 'bye', timestamp: '2026-01-31T12:00:00.000Z' },
      ],
      historyCount: 2,
    });
    expect(await okOf(sessions.get(other))).toMatchObject({
      id: other,
      status: 'IDLE',
      options: ada,
    });
    expect((await okOf(sessions.list())).total).toBe(2);
  });

  test('lets a caller change what it passed without changing what was stored', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const input = { face: 'ada', profile: 'tutor', behavior: 'kind', timeLimit: 60 };
    const created = sessions.create(input);
    vandalize(input);
    const { id } = await okOf(created);
    await okOf(sessions.start(id));
    const timestamp = new Date(0);
    const entry = { role: 'user', content: 'hello', timestamp };
    const entries = [entry];
    const appended = sessions.append(id, entries);
    timestamp.setTime(5);
    entry.content = 'changed';
    entries.push({ role: 'user', content: 'smuggled in', timestamp });
    await okOf(appended);
    expect(await okOf(sessions.get(id))).toMatchObject({
      options: { face: 'ada', profile: 'tutor', behavior: 'kind', timeLimit: 60 },
      history: [{ role: 'user', content: 'hello', timestamp: '1970-01-01T00:00:00.000Z' }],
    });
    expect((await okOf(sessions.get(id))).history).toHaveLength(1);
  });

  test('keeps a session as it was read, whatever happens later', async () => {
    const { sessions, clock } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions, { timeLimit: 10 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    const [found, listed] = [
      await okOf(sessions.get(id)),
      (await okOf(sessions.list())).sessions[0],
    ];
    clock.pass(20_000);
    await okOf(sessions.terminate(id));
    await okOf(sessions.delete(id));
    for (const session of [found, listed]) {
      expect(session).toMatchObject({
        id,
        status: 'ACTIVE',
        duration: 0,
        history: [{ content: 'hello' }],
      });
      expect(session?.history).toHaveLength(1);
    }
  });

  test('rejects unknown fields, and stores nothing', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const input = { ...ada, status: 'TERMINATED', revision: 99, endReason: 'failed', history: [1] };
    const { issues } = Object(await errorOf(sessions.create(input)));
    expect(issues.map(({ path }: { path: string }) => path)).toEqual([
      'status',
      'revision',
      'endReason',
      'history',
    ]);
    expect((await okOf(sessions.list())).total).toBe(0);
  });
});
