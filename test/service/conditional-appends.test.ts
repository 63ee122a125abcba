import { describe, expect, test } from 'vitest';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const said = (content: string) => [{ role: 'user', content }];

describe('an append with ifPosition', () => {
  test('succeeds if the history still ends at that position', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, said('one'), { ifPosition: 0 }));
    await okOf(sessions.append(id, said('two'), { ifPosition: first.position }));
    const part = await okOf(sessions.history(id, { last: 1 }));
    await okOf(sessions.append(id, said('three'), { ifPosition: part.position }));
    expect((await okOf(sessions.get(id))).history.map(({ content }) => content)).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  test('fails with history_moved otherwise, returns the actual end, and appends nothing', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, said('one')));
    expect(await errorOf(sessions.append(id, said('two'), { ifPosition: 0 }))).toEqual({
      type: 'history_moved',
      message: `the history ends at position ${position}`,
      id,
      position,
    });
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
  });

  test('fails with invalid_input if the position is not a whole number', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    for (const ifPosition of [-1, 0.5, Number.NaN]) {
      expect(await errorOf(sessions.append(id, said('two'), { ifPosition }))).toMatchObject({
        message: 'ifPosition must be a whole number, at least 0',
      });
    }
  });
});

describe('an operation id', () => {
  test('identifies the entries of an append: other entries fail with operation_mismatch', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, said('one'), { operationId: 'op' }));
    clock.pass(1000);
    expect(await okOf(sessions.append(id, said('one'), { operationId: 'op' }))).toEqual({
      ...first,
      repeated: true,
    });
    const others = [
      said('two'),
      [...said('one'), ...said('one')],
      [{ role: 'assistant', content: 'one' }],
      [{ role: 'user', content: 'one', timestamp: '2026-01-31T12:00:00Z' }],
    ];
    for (const entries of others) {
      expect(await errorOf(sessions.append(id, entries, { operationId: 'op' }))).toEqual({
        type: 'operation_mismatch',
        message: 'this operation id was used before for another operation',
        id,
      });
    }
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
  });

  test('identifies the times of entries too, with any offset', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const at = (timestamp: string) => [{ role: 'user', content: 'one', timestamp }];
    const first = await okOf(
      sessions.append(id, at('2026-01-31T12:00:00Z'), { operationId: 'op' }),
    );
    expect(
      await okOf(sessions.append(id, at('2026-01-31T13:00:00+01:00'), { operationId: 'op' })),
    ).toEqual({
      ...first,
      repeated: true,
    });
    expect(
      await errorOf(sessions.append(id, at('2026-01-31T12:00:01Z'), { operationId: 'op' })),
    ).toMatchObject({
      type: 'operation_mismatch',
    });
  });

  test('identifies one command', async () => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    const started = await okOf(sessions.start(id, { operationId: 'op:1' }));
    expect(await okOf(sessions.start(id, { operationId: 'op:1' }))).toEqual({
      ...started,
      repeated: true,
    });
    expect(await errorOf(sessions.pause(id, { operationId: 'op:1' }))).toMatchObject({
      type: 'operation_mismatch',
    });
    expect((await okOf(sessions.pause(id, { operationId: '1' }))).status).toBe('PAUSED');
  });
});
