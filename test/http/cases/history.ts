import { describe, expect, test } from 'vitest';
import { DEFAULT_HISTORY_LIMIT, HISTORY_LIMIT } from '../../../src/session/limits.js';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

const said = ['one', 'two', 'three'].map((content) => ({
  role: 'user',
  content,
  timestamp: '2026-01-31T12:00:00.000Z',
}));

const talking = async (client: Client): Promise<string> => {
  const { id } = await client.created();
  await client.sessions.start(id);
  (await client.sessions.append(id, said))._unsafeUnwrap();
  return id;
};

export const historyCases = (world: World): void => {
  describe('GET /session/{session_id}/history', () => {
    test('returns the last entries, those after a position, and those before one', async () => {
      const client = world.client();
      const id = await talking(client);
      const shown = said.map((entry) => ({ ...entry, position: expect.any(Number) }));
      const read = async (query: string) =>
        Object((await client.send(`/session/${id}/history${query}`)).json());
      const { position, ...all } = await read('');
      expect(all).toEqual({
        entries: shown,
        start: 0,
        has_more: false,
        limit: DEFAULT_HISTORY_LIMIT,
      });
      const last = await read('?last=1');
      expect(last).toMatchObject({ entries: [said[2]], position, has_more: false });
      const none = { entries: [], start: position, position, has_more: false, limit: 5 };
      expect(await read(`?after=${position}&limit=5`)).toEqual(none);
      const first = await read('?after=0&limit=2');
      expect(first).toMatchObject({ entries: said.slice(0, 2), has_more: true });
      expect(await read(`?after=${first.position}&limit=1`)).toEqual(last);
      const above = await read(`?before=${last.start}&limit=1`);
      expect(above).toMatchObject({ entries: [said[1]], position: last.start, has_more: true });
      expect(await read(`?before=${above.start}`)).toMatchObject({ entries: [said[0]], start: 0 });
      expect(await read(`?last=${HISTORY_LIMIT * 100}`)).toEqual({
        entries: shown,
        start: 0,
        position,
        has_more: false,
        limit: HISTORY_LIMIT,
      });
      for (const place of ['after=0', `before=${position}`]) {
        const most = await read(`?${place}&limit=${HISTORY_LIMIT + 1}`);
        expect(most).toMatchObject({ limit: HISTORY_LIMIT });
      }
    });

    test('answers HEAD with the headers of GET and no body', async () => {
      const client = world.client();
      const path = `/session/${await talking(client)}/history`;
      const [full, head] = [await client.send(path), await client.send(path, { method: 'HEAD' })];
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-length']).toBe(String(full.text.length));
    });

    test.each([
      ['last', 'last=0'],
      ['last', 'last=x'],
      ['last', 'last=1&after=0'],
      ['last', 'last=1&last=1'],
      ['after', 'after=-1'],
      ['after', 'after=999'],
      ['before', 'before=999'],
      ['before', 'before=0&after=0'],
      ['last', 'last=1&before=0'],
      ['limit', 'limit=5'],
      ['limit', 'after=0&limit=0'],
    ])('names %s if the query is %s', async (path, query) => {
      const client = world.client();
      expectInvalid(await client.send(`/session/${await talking(client)}/history?${query}`), path);
    });

    test('answers 404 for sessions of other tenants', async () => {
      const id = await talking(world.client());
      expectProblem(await world.client().send(`/session/${id}/history`), 404, 'not_found');
      expectProblem(
        await world.client().anonymous(`/session/${id}/history`),
        401,
        'unauthenticated',
      );
    });

    test('accepts GET and HEAD only', async () => {
      const reply = await world.client().send('/session/x/history', { method: 'POST' });
      expectProblem(reply, 405, 'method_not_allowed');
      expect(reply.headers['allow']).toBe('GET, HEAD');
    });
  });
};
