import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid } from '../problems.js';
import type { Client, World } from '../world.js';
import { listRangeCases } from './list-ranges.js';

const idsOf = (reply: Reply): unknown => {
  const sessions = reply.json();
  return Array.isArray(sessions) ? sessions.map(({ id }) => id) : sessions;
};

/** The `Link` header by relation, as far as they are pages of this list. */
const linksOf = (client: Client, reply: Reply): Record<string, string> => {
  const header = String(reply.headers['link']);
  const links = [...header.matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(
    links.map(([, target, relation]) => [relation, target?.replace(client.at('/sessions'), '')]),
  );
};

export const listCases = (world: World): void => {
  listRangeCases(world);

  describe('GET /sessions', () => {
    test('answers 200 with [] if there are no sessions', async () => {
      const reply = await world.client().send('/sessions');
      expect([reply.status, reply.text]).toEqual([200, '[]']);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
    });

    test('sends a total of 0 for an empty list, with page 1 as first and last page', async () => {
      const client = world.client();
      const reply = await client.send('/sessions');
      expect(reply.headers['x-total-count']).toBe('0');
      expect(linksOf(client, reply)).toEqual({
        first: '?limit=10&page=1',
        last: '?limit=10&page=1',
      });
    });

    test('returns a plain array, newest session first', async () => {
      const client = world.client();
      const ids = await client.createSeveral(3);
      expect(idsOf(await client.send('/sessions'))).toEqual(ids);
    });

    test('returns 10 sessions of page 1 by default', async () => {
      const client = world.client();
      const ids = await client.createSeveral(12);
      const reply = await client.send('/sessions');
      expect(idsOf(reply)).toEqual(ids.slice(0, 10));
      expect(reply.headers['x-total-count']).toBe('12');
    });

    test('returns pages that neither overlap nor skip sessions', async () => {
      const client = world.client();
      const ids = await client.createSeveral(7);
      const pages = await Promise.all(
        [1, 2, 3, 4].map((page) => client.send(`/sessions?limit=2&page=${page}`)),
      );
      expect(pages.flatMap(idsOf)).toEqual(ids);
    });

    test('links to the first, previous, next and last page, including the prefix', async () => {
      const client = world.client();
      await client.createSeveral(5);
      const reply = await client.send('/sessions?limit=2&page=2');
      expect(reply.headers['link']).toBe(
        [
          `<${client.at('/sessions')}?limit=2&page=1>; rel="first"`,
          `<${client.at('/sessions')}?limit=2&page=1>; rel="prev"`,
          `<${client.at('/sessions')}?limit=2&page=3>; rel="next"`,
          `<${client.at('/sessions')}?limit=2&page=3>; rel="last"`,
        ].join(', '),
      );
    });

    test('sends no previous link on page 1 and no next link on the last page', async () => {
      const client = world.client();
      await client.createSeveral(3);
      const first = linksOf(client, await client.send('/sessions?limit=2'));
      expect(Object.keys(first)).toEqual(['first', 'next', 'last']);
      const last = linksOf(client, await client.send('/sessions?limit=2&page=2'));
      expect(Object.keys(last)).toEqual(['first', 'prev', 'last']);
    });

    test('answers 200 with [] past the end, with the last page as previous', async () => {
      const client = world.client();
      await client.createSeveral(3);
      const reply = await client.send('/sessions?limit=2&page=9');
      expect([reply.status, reply.text, reply.headers['x-total-count']]).toEqual([200, '[]', '3']);
      expect(linksOf(client, reply)).toEqual({
        first: '?limit=2&page=1',
        prev: '?limit=2&page=2',
        last: '?limit=2&page=2',
      });
    });

    test('treats a limit above 100 as 100, also in links', async () => {
      const client = world.client();
      await client.createSeveral(101);
      const reply = await client.send('/sessions?limit=1000000');
      expect(idsOf(reply)).toHaveLength(100);
      expect(linksOf(client, reply)).toMatchObject({
        next: '?limit=100&page=2',
        last: '?limit=100&page=2',
      });
    });

    test.each(['9007199254740993', '9'.repeat(400)])(
      'accepts whole numbers of any length: %s',
      async (digits) => {
        const client = world.client();
        await client.createSeveral(1);
        expect((await client.send(`/sessions?page=${digits}`)).text).toBe('[]');
        expect(idsOf(await client.send(`/sessions?limit=${digits}`))).toHaveLength(1);
      },
    );

    const junk = [
      'abc',
      '0',
      '-1',
      '1.5',
      '1e3',
      '%205',
      '5%20',
      '+5',
      '05',
      '',
      '0x10',
      'NaN',
      '%',
      '%00',
      '%EF%BC%91',
    ];
    test.each(['limit', 'page'])('answers a malformed %s with 400, and names it', async (name) => {
      const client = world.client();
      for (const value of junk)
        expectInvalid(await client.send(`/sessions?${name}=${value}`), name);
    });

    test.each(['limit', 'page'])(
      'answers a repeated %s with 400, even if both values are equal',
      async (name) => {
        const client = world.client();
        expectInvalid(await client.send(`/sessions?${name}=1&${name}=1`), name);
        expectInvalid(await client.send(`/sessions?${name}=1&${name}=`), name);
      },
    );

    test.each(['limit[]=5', 'limit=5,6', 'limit', 'limit=5%0a'])(
      'rejects the malformed limit ?%s',
      async (query) => {
        const reply = await world.client().send(`/sessions?${query}`);
        expectInvalid(reply, query === 'limit[]=5' ? 'limit[]' : 'limit');
      },
    );

    test('names both parameters if both are wrong', async () => {
      expectInvalid(await world.client().send('/sessions?page=x&limit=y'), 'limit', 'page');
    });

    test('ignores unknown parameters', async () => {
      const reply = await world
        .client()
        .send('/sessions?offset=5&lang=x&_=1&api_key=k&__proto__=1&constructor=2&&=&%zz=1');
      expect([reply.status, reply.text]).toEqual([200, '[]']);
    });

    test.each([
      ['labels[]=user:u-1', 'labels[]', 'labels'],
      ['labels%5B0%5D=user:u-1', 'labels[0]', 'labels'],
      ['labels[user]=u-1', 'labels[user]', 'labels'],
      ['labels.user=u-1', 'labels.user', 'labels'],
      ['label=user:u-1', 'label', 'labels'],
      ['lables=user:u-1', 'lables', 'labels'],
      ['Labels=user:u-1', 'Labels', 'labels'],
      ['label[]=user:u-1', 'label[]', 'labels'],
      ['status[]=ACTIVE', 'status[]', 'status'],
      ['status[0]=ACTIVE', 'status[0]', 'status'],
      ['statuses=ACTIVE', 'statuses', 'status'],
      ['stauts=ACTIVE', 'stauts', 'status'],
      ['createdAfter=2026-01-31T12:00:00Z', 'createdAfter', 'created_after'],
      ['created-before=2026-01-31T12:00:00Z', 'created-before', 'created_before'],
      ['historyLimit=0', 'historyLimit', 'history_limit'],
      ['limits=5', 'limits', 'limit'],
      ['limt=5', 'limt', 'limit'],
      ['page[]=2', 'page[]', 'page'],
      ['pages=2', 'pages', 'page'],
      ['paeg=2', 'paeg', 'page'],
      ['Cursor=x', 'Cursor', 'cursor'],
      ['ordr=oldest', 'ordr', 'order'],
    ])(
      'rejects %s by its name, since ignoring it would widen the list',
      async (query, path, name) => {
        const reply = await world.client().send(`/sessions?limit=5&${query}`);
        expectInvalid(reply, path);
        expect(reply.text).toContain(`is unknown (did you mean ${name}?)`);
      },
    );

    test('accepts percent-encoded parameters', async () => {
      const client = world.client();
      await client.createSeveral(2);
      expect(idsOf(await client.send('/sessions?%6Cimit=%31'))).toHaveLength(1);
    });

    test('returns the readable sessions and names the others', async () => {
      const client = world.client();
      const [newest, damaged, oldest] = await client.createSeveral(3);
      world.store.damage({ tenant: client.tenant, id: String(damaged) }, 'head');
      const reply = await client.send('/sessions');
      expect(idsOf(reply)).toEqual([newest, oldest]);
      expect(reply.headers).toMatchObject({
        'x-total-count': '3',
        'x-unreadable-sessions': damaged,
      });
    });
  });
};
