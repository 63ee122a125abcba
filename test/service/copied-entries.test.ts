import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/index.js';
import { describeStores } from '../support/describe-stores.js';
import { ada, call, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const said = [
  { role: 'user', content: 'one', timestamp: '2026-01-31T18:00:00.000Z', id: 'm-1' },
  { role: 'assistant', content: 'two', timestamp: '2026-01-31T18:00:01.000Z', data: { tokens: 3 } },
];

const toldIn = async (sessions: SessionService) =>
  (await okOf(sessions.create({ ...ada, entries: said }))).id;

describeStores('the result of history()', (open) => {
  test('is valid input for append, rewind and create of another session', async () => {
    const { sessions } = openSessions({ store: await open() });
    const { entries } = await okOf(sessions.history(await toldIn(sessions)));
    const appended = await startedIn(sessions);
    await okOf(sessions.append(appended, [{ role: 'user', content: 'before' }]));
    await okOf(sessions.append(appended, entries));
    const { entries: copied, position } = await okOf(sessions.history(appended));
    expect(copied.slice(1).map(({ position: _, ...entry }) => entry)).toEqual(said);
    expect(copied.map((entry) => entry.position)).not.toEqual(
      entries.map((entry) => entry.position),
    );
    await okOf(sessions.rewind(appended, { to: 0, entries, ifPosition: position }));
    expect((await okOf(sessions.get(appended))).history).toEqual(said);
    const created = await okOf(sessions.create({ ...ada, entries }));
    expect(created.history).toEqual(said);
    expect((await okOf(sessions.get(created.id))).history).toEqual(said);
  });

  test('is the same input with or without positions, under an operationId and an idempotencyKey', async () => {
    const { sessions } = openSessions({ store: await open() });
    const { entries } = await okOf(sessions.history(await toldIn(sessions)));
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, entries, { operationId: 'copy' }));
    expect(await okOf(sessions.append(id, said, { operationId: 'copy' }))).toEqual({
      ...first,
      repeated: true,
    });
    const rewind = { to: 0, ifPosition: first.position, operationId: 'again' };
    const rewound = await okOf(sessions.rewind(id, { ...rewind, entries: said }));
    expect(await okOf(sessions.rewind(id, { ...rewind, entries }))).toEqual({
      ...rewound,
      repeated: true,
    });
    const input = { ...ada, idempotencyKey: 'copy' };
    const created = await okOf(sessions.create({ ...input, entries }));
    expect(await okOf(sessions.create({ ...input, entries: said }))).toMatchObject({
      id: created.id,
      repeated: true,
    });
  });
});

describe('a position in an entry', () => {
  test('fails with invalid_input unless it is a whole number from 0, and nothing is appended', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    for (const position of ['1', -1, 0.5, Number.NaN, {}, true]) {
      expect(await errorOf(call(sessions, 'append', id, [{ ...said[0], position }]))).toMatchObject(
        {
          issues: [{ path: 'entries[0].position', message: 'must be a whole number, at least 0' }],
        },
      );
    }
    for (const position of [0, undefined, null]) {
      expect((await call(sessions, 'append', id, [{ ...said[0], position }])).isOk()).toBe(true);
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(3);
  });
});
