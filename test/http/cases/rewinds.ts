import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

const timestamp = '2026-01-31T18:00:02.000Z';
const say = (content: string) => ({ role: 'user', content, timestamp });

export const rewindCases = (world: World): void => {
  const append = async (client: Client, id: string, body: unknown, headers = {}) =>
    client.command(`/append-history/${id}`, headers, body);

  const rewind = async (client: Client, id: string, body: unknown, headers = {}) =>
    client.command(`/rewind-history/${id}`, headers, body);

  const positionIn = (reply: { json(): unknown }): number => Object(reply.json()).position;

  /** A session with three entries, and the positions after them. */
  const talking = async (client: Client) => {
    const { id } = await client.created();
    await client.sessions.start(id);
    const positions: number[] = [];
    for (const content of ['one', 'two', 'three']) {
      positions.push(
        Object((await append(client, id, { entries: [say(content)] })).json()).position,
      );
    }
    const [first = 0, second = 0, third = 0] = positions;
    return { id, first, second, third };
  };

  const historyOf = async (client: Client, id: string): Promise<unknown> =>
    Object((await client.send(`/session/${id}`)).json()).history;

  describe('POST /rewind-history/{session_id}', () => {
    test('supersedes what followed a position, with entries and without', async () => {
      const client = world.client();
      const { id, first, third } = await talking(client);
      const edited = await rewind(client, id, {
        to: first,
        entries: [say('four')],
        if_position: third,
      });
      expect([edited.status, edited.json()]).toEqual([200, { position: expect.any(Number) }]);
      expect(await historyOf(client, id)).toEqual([say('one'), say('four')]);
      const popped = await rewind(client, id, {
        to: first,
        entries: null,
        if_position: positionIn(edited),
      });
      const cleared = await rewind(client, id, { to: 0, if_position: positionIn(popped) });
      expect([popped.status, cleared.status]).toEqual([200, 200]);
      const positions = [third, ...[edited, popped, cleared].map(positionIn)];
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(await historyOf(client, id)).toEqual([]);
    });

    test('answers 412 if the history has moved since if_position, and changes nothing', async () => {
      const client = world.client();
      const { id, first, third } = await talking(client);
      const { position } = Object((await append(client, id, { entries: [say('four')] })).json());
      for (const to of [first, third, 0]) {
        const refused = await rewind(client, id, {
          to,
          entries: [say('five')],
          if_position: third,
        });
        expectProblem(refused, 412, 'history_moved');
        expect(refused.json()).toMatchObject({ position });
      }
      expect(await historyOf(client, id)).toEqual(['one', 'two', 'three', 'four'].map(say));
      const summary = { to: 0, entries: [say('sum')], if_position: position };
      expect((await rewind(client, id, summary)).status).toBe(200);
      expect(await historyOf(client, id)).toEqual([say('sum')]);
    });

    test('answers 400 for a missing, malformed or superseded position', async () => {
      const client = world.client();
      const { id, first, second, third } = await talking(client);
      const edited = await rewind(client, id, {
        to: first,
        entries: [say('four')],
        if_position: third,
      });
      const body = { entries: [say('x')], if_position: positionIn(edited) };
      for (const to of [
        second,
        third,
        third + 1_000_000,
        -1,
        0.5,
        '3',
        true,
        [],
        {},
        null,
        undefined,
      ]) {
        expectInvalid(await rewind(client, id, { ...body, to }), 'to');
      }
      for (const if_position of [-1, '3', null, undefined]) {
        expectInvalid(await rewind(client, id, { ...body, to: 0, if_position }), 'if_position');
      }
      expectInvalid(await rewind(client, id, { ...body, to: 0, entries: {} }), 'entries');
      for (const entries of [undefined, null, {}, []])
        expectInvalid(await append(client, id, { entries }), 'entries');
      expect(await historyOf(client, id)).toEqual([say('one'), say('four')]);
    });

    test('changes nothing for a repeated Idempotency-Key, and answers 422 if the key was used elsewhere', async () => {
      const client = world.client();
      const { id, first, third } = await talking(client);
      const key = { 'Idempotency-Key': 'edit' };
      const body = { to: first, entries: [say('four')], if_position: third };
      const edited = await rewind(client, id, body, key);
      await append(client, id, { entries: [say('five')] });
      const again = await rewind(client, id, body, key);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
        200,
        edited.text,
        'true',
      ]);
      expectProblem(await rewind(client, id, { ...body, to: 0 }, key), 422, 'operation_mismatch');
      expectProblem(
        await append(client, id, { entries: body.entries }, key),
        422,
        'operation_mismatch',
      );
      expect(await historyOf(client, id)).toEqual([say('one'), say('four'), say('five')]);
    });

    test('is rejected without the lease that X-Fencing-Token names', async () => {
      const client = world.client();
      const { id, third } = await talking(client);
      const body = { to: 0, if_position: third };
      expectProblem(await rewind(client, id, body, { 'X-Fencing-Token': '1' }), 409, 'lease_lost');
      expect(await historyOf(client, id)).toHaveLength(3);
    });

    test('sends a snapshot of the current history to watches, and later appends as changes', async () => {
      const client = world.client();
      const { id, first, third } = await talking(client);
      const reader = await client.watch(id);
      await reader.next();
      const edited = await rewind(client, id, {
        to: first,
        entries: [say('four')],
        if_position: third,
      });
      expect(await reader.next()).toMatchObject({
        event: 'session.snapshot',
        data: { id, history: [say('one'), say('four')] },
      });
      await rewind(client, id, { to: 0, if_position: positionIn(edited) });
      expect(await reader.next()).toMatchObject({
        event: 'session.snapshot',
        data: { id, history: [] },
      });
      const { position } = Object((await append(client, id, { entries: [say('five')] })).json());
      expect(await reader.next()).toMatchObject({
        event: 'session.changed',
        data: { entries: [{ ...say('five'), position }], sequence: 8 },
      });
      reader.close();
    });
  });
};
