import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

const timestamp = '2026-01-31T18:00:02.000Z';
const say = (content: string) => ({ role: 'user', content, timestamp });

export const rewindCases = (world: World): void => {
  const append = async (client: Client, id: string, body: unknown, headers = {}) =>
    client.command(`/append-history/${id}`, headers, body);

  /** A session with three entries, and the positions after them. */
  const talking = async (client: Client) => {
    const { id } = await client.created();
    await client.sessions.start(id);
    const positions: number[] = [];
    for (const content of ['one', 'two', 'three']) {
      positions.push(Object((await append(client, id, { entries: [say(content)] })).json()).position);
    }
    const [first = 0, second = 0, third = 0] = positions;
    return { id, first, second, third };
  };

  const historyOf = async (client: Client, id: string): Promise<unknown> =>
    Object((await client.send(`/session/${id}`)).json()).history;

  describe('POST /append-history/{session_id} with after', () => {
    test('supersedes what followed that position, with entries and without', async () => {
      const client = world.client();
      const { id, first, third } = await talking(client);
      const edited = await append(client, id, { entries: [say('four')], after: first });
      expect([edited.status, edited.json()]).toEqual([200, { position: expect.any(Number) }]);
      expect(await historyOf(client, id)).toEqual([say('one'), say('four')]);
      const popped = await append(client, id, { entries: [], after: first });
      const cleared = await append(client, id, { entries: [], after: 0 });
      expect([popped.status, cleared.status]).toEqual([200, 200]);
      const positions = [edited, popped, cleared].map((reply) => Object(reply.json()).position);
      expect([third, ...positions]).toEqual([third, ...positions].toSorted((a, b) => a - b));
      expect(await historyOf(client, id)).toEqual([]);
    });

    test('is 412 where that position is superseded or the history has moved, and changes nothing', async () => {
      const client = world.client();
      const { id, first, second, third } = await talking(client);
      const { position } = Object((await append(client, id, { entries: [say('four')], after: first })).json());
      for (const conditions of [{ after: second }, { after: third }, { after: 0, if_position: third }]) {
        const refused = await append(client, id, { entries: [say('five')], ...conditions });
        expectProblem(refused, 412, 'history_moved');
        expect(refused.json()).toMatchObject({ position });
      }
      expect(await historyOf(client, id)).toEqual([say('one'), say('four')]);
      expect((await append(client, id, { entries: [say('sum')], after: 0, if_position: position })).status).toBe(200);
      expect(await historyOf(client, id)).toEqual([say('sum')]);
    });

    test('is 400 with a position that is not in the history or is no position, and without entries if it is missing', async () => {
      const client = world.client();
      const { id, third } = await talking(client);
      for (const after of [third + 1_000_000, -1, 0.5, '3', true, [], {}]) {
        expectInvalid(await append(client, id, { entries: [say('x')], after }), 'after');
      }
      for (const body of [{ entries: [] }, { entries: [], after: null }]) {
        expectInvalid(await append(client, id, body), 'entries');
      }
      for (const entries of [undefined, null, {}])
        expectInvalid(await append(client, id, { entries, after: 0 }), 'entries');
      expect(await historyOf(client, id)).toEqual([say('one'), say('two'), say('three')]);
    });

    test('once more with the same Idempotency-Key changes nothing, and with it elsewhere is 422', async () => {
      const client = world.client();
      const { id, first } = await talking(client);
      const key = { 'Idempotency-Key': 'edit' };
      const body = { entries: [say('four')], after: first };
      const edited = await append(client, id, body, key);
      await append(client, id, { entries: [say('five')] });
      const again = await append(client, id, body, key);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, edited.text, 'true']);
      expectProblem(await append(client, id, { ...body, after: 0 }, key), 422, 'operation_mismatch');
      expect(await historyOf(client, id)).toEqual([say('one'), say('four'), say('five')]);
    });

    test('is a snapshot of the history as it is now, and what is appended then a change again', async () => {
      const client = world.client();
      const { id, first } = await talking(client);
      const reader = await client.watch(id);
      await reader.next();
      await append(client, id, { entries: [say('four')], after: first });
      expect(await reader.next()).toMatchObject({
        event: 'session.snapshot',
        data: { id, history: [say('one'), say('four')] },
      });
      await append(client, id, { entries: [], after: 0 });
      expect(await reader.next()).toMatchObject({ event: 'session.snapshot', data: { id, history: [] } });
      const { position } = Object((await append(client, id, { entries: [say('five')] })).json());
      expect(await reader.next()).toMatchObject({
        event: 'session.changed',
        data: { entries: [{ ...say('five'), position }], sequence: 8 },
      });
      reader.close();
    });
  });
};
