import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid } from '../problems.js';
import type { Client, World } from '../world.js';

const idsOf = (reply: Reply): unknown => {
  const sessions = reply.json();
  return Array.isArray(sessions) ? sessions.map(({ id }) => id) : sessions;
};

/** The targets of the `Link` header by relation. */
const targetsOf = (client: Client, reply: Reply): Record<string, string> => {
  const links = [...String(reply.headers['link']).matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(
    links.map(([, target, relation]) => [relation, target?.replace(client.at('/sessions'), '')]),
  );
};

/** Follows the `next` links from a first request on. */
const follow = async (client: Client, query: string): Promise<readonly unknown[]> => {
  const pages: unknown[] = [];
  for (let next: string | undefined = query; next !== undefined; ) {
    const reply: Reply = await client.send(`/sessions${next}`);
    pages.push(idsOf(reply));
    next = targetsOf(client, reply)['next'];
  }
  return pages.flat();
};

export const listRangeCases = (world: World): void => {
  describe('GET /sessions with order, creation times and cursor', () => {
    test('starts with the oldest session on request', async () => {
      const client = world.client();
      const ids = await client.createSeveral(5);
      expect(idsOf(await client.send('/sessions?order=oldest&limit=2'))).toEqual(
        ids.toReversed().slice(0, 2),
      );
      expect(idsOf(await client.send('/sessions?order=newest&limit=2'))).toEqual(ids.slice(0, 2));
      expect(await follow(client, '?order=oldest&limit=2')).toEqual(ids.toReversed());
    });

    test('returns and counts the sessions created between two times', async () => {
      const client = world.client();
      const ids = await client.createSeveral(5);
      const last = world.clock.now();
      const after = encodeURIComponent(new Date(last - 4000).toISOString());
      const before = encodeURIComponent(new Date(last).toISOString().replace('Z', '+00:00'));
      const reply = await client.send(`/sessions?created_after=${after}&created_before=${before}`);
      expect([idsOf(reply), reply.headers['x-total-count']]).toEqual([ids.slice(1, 4), '3']);
      expect(await follow(client, `?limit=2&created_after=${after}`)).toEqual(ids.slice(0, 4));
    });

    test('repeats the order and the times in links', async () => {
      const client = world.client();
      await client.createSeveral(3);
      const reply = await client.send(
        '/sessions?created_after=2000-01-01T00:00:00%2b01:00&order=oldest&limit=2',
      );
      const filters = '&order=oldest&created_after=2000-01-01T00%3A00%3A00%2B01%3A00';
      expect(targetsOf(client, reply)).toEqual({
        first: `?limit=2&page=1${filters}`,
        next: `?limit=2&page=2${filters}`,
        last: `?limit=2&page=2${filters}`,
      });
    });

    test('sends X-Next-Cursor on every page but the last, and resumes after it', async () => {
      const client = world.client();
      const ids = await client.createSeveral(5);
      const first = await client.send('/sessions?limit=2');
      const cursor = String(first.headers['x-next-cursor']);
      const second = await client.send(`/sessions?limit=2&cursor=${cursor}`);
      expect(idsOf(second)).toEqual(ids.slice(2, 4));
      expect(second.headers['x-total-count']).toBe('5');
      const next = String(second.headers['x-next-cursor']);
      expect(targetsOf(client, second)).toEqual({
        first: '?limit=2&page=1',
        next: `?limit=2&cursor=${next}`,
      });
      const third = await client.send(`/sessions?limit=2&cursor=${next}`);
      expect([idsOf(third), third.headers['x-next-cursor']]).toEqual([ids.slice(4), undefined]);
      expect(targetsOf(client, third)).toEqual({ first: '?limit=2&page=1' });
    });

    test('neither skips nor repeats sessions while others are created and deleted', async () => {
      const client = world.client();
      const ids = await client.createSeveral(6);
      const first = await client.send('/sessions?limit=3');
      await client.createSeveral(2);
      for (const at of [0, 2, 4]) await client.sessions.delete(String(ids[at]));
      const rest = await client.send(`/sessions?cursor=${first.headers['x-next-cursor']}`);
      expect(idsOf(rest)).toEqual([ids[3], ids[5]]);
    });

    test.each([
      ['order', ['', 'up', 'NEWEST', 'newest%20', 'asc']],
      [
        'created_after',
        [
          '',
          'now',
          '2026-01-31',
          '2026-02-30T00:00:00Z',
          '1769860800',
          '2026-01-31T12:00:00+01:00',
        ],
      ],
      ['created_before', ['', 'now', '2026-01-31', '2026-02-30T00:00:00Z', '%00']],
      ['cursor', ['', '1', 's1', '%00', '0.', '../..', 'x'.repeat(4000)]],
      ['status', ['', 'idle', 'ENDED', 'constructor', 'ACTIVE,PAUSED']],
    ] as const)(
      'answers %s that is malformed or repeated with 400, and names it',
      async (name, junk) => {
        const client = world.client();
        for (const value of junk)
          expectInvalid(await client.send(`/sessions?${name}=${value}`), name);
        const twice = name === 'status' ? ['status[0]', 'status[1]'] : [name];
        expectInvalid(await client.send(`/sessions?${name}=oldest&${name}=oldest`), ...twice);
      },
    );

    test('accepts several status parameters, lists the sessions of each, and repeats them in links', async () => {
      const client = world.client();
      const ids = await client.createSeveral(5);
      for (const at of [0, 1, 3]) await client.sessions.start(String(ids[at]));
      await client.sessions.pause(String(ids[1]));
      const reply = await client.send('/sessions?status=PAUSED&status=ACTIVE&limit=2');
      expect([idsOf(reply), reply.headers['x-total-count']]).toEqual([[ids[0], ids[1]], '3']);
      const filter = '&status=PAUSED&status=ACTIVE';
      expect(targetsOf(client, reply)['next']).toBe(`?limit=2&page=2${filter}`);
      const same = await client.send('/sessions?status=IDLE&status=IDLE');
      expect([idsOf(same), same.headers['x-total-count']]).toEqual([[ids[2], ids[4]], '2']);
      expectInvalid(
        await client.send('/sessions?status=ACTIVE&status=active&status='),
        'status[1]',
        'status[2]',
      );
    });

    test('lists sessions by their last update with order=updated, also by status', async () => {
      const client = world.client();
      const ids = await client.createSeveral(4);
      world.clock.pass(1000);
      await client.sessions.start(String(ids[3]));
      world.clock.pass(1000);
      await client.sessions.terminate(String(ids[2]));
      const reply = await client.send('/sessions?order=updated&limit=2');
      expect([idsOf(reply), reply.headers['x-total-count']]).toEqual([[ids[2], ids[3]], '4']);
      const rest = await client.send(
        `/sessions?order=updated&cursor=${reply.headers['x-next-cursor']}`,
      );
      expect(idsOf(rest)).toEqual([ids[0], ids[1]]);
      const some = await client.send('/sessions?order=updated&status=IDLE&status=ACTIVE');
      expect(idsOf(some)).toEqual([ids[3], ids[0], ids[1]]);
    });

    test('answers a page together with a cursor with 400', async () => {
      const client = world.client();
      await client.createSeveral(2);
      const { headers } = await client.send('/sessions?limit=1');
      expectInvalid(
        await client.send(`/sessions?page=1&cursor=${headers['x-next-cursor']}`),
        'cursor',
      );
    });

    test('answers HEAD with the same headers', async () => {
      const client = world.client();
      await client.createSeveral(2);
      const path = '/sessions?limit=1&order=oldest';
      const [get, head] = [await client.send(path), await client.send(path, { method: 'HEAD' })];
      for (const name of ['x-next-cursor', 'link', 'x-total-count'])
        expect(head.headers[name]).toBe(get.headers[name]);
    });
  });
};
