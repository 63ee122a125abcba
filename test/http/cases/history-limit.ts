import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid } from '../problems.js';
import type { Client, World } from '../world.js';

/** An ACTIVE session with this number of entries, numbered from 0. */
const talking = async (client: Client, world: World, count: number): Promise<string> => {
  world.clock.pass(1000);
  const { id } = await client.created();
  await client.sessions.start(id);
  const entries = Array.from({ length: count }, (_, at) => ({ role: 'user', content: String(at) }));
  if (count > 0) (await client.sessions.append(id, entries))._unsafeUnwrap();
  return id;
};

const said = (session: unknown): unknown =>
  Object(session).history.map(({ content }: { content: string }) => content);

const saidIn = (reply: Reply): unknown => {
  const body = reply.json();
  return Array.isArray(body) ? body.map(said) : said(body);
};

const truncatedIn = ({ headers }: Reply) => headers['x-history-truncated'];

const junk = ['', 'abc', '-1', '1.5', '1e3', '%205', '0x10', '+1', '01', '-0'];

export const historyLimitCases = (world: World): void => {
  describe('history_limit', () => {
    test('limits the histories of a list to their latest entries, and names the truncated ones', async () => {
      const client = world.client();
      const [full, short, none] = [
        await talking(client, world, 4),
        await talking(client, world, 2),
        await talking(client, world, 0),
      ];
      const two = await client.send('/sessions?history_limit=2');
      expect([saidIn(two), truncatedIn(two)]).toEqual([[[], ['0', '1'], ['2', '3']], full]);
      const zero = await client.send('/sessions?history_limit=0');
      expect([saidIn(zero), truncatedIn(zero)]).toEqual([[[], [], []], `${short},${full}`]);
      const all = await client.send('/sessions?history_limit=99999999999999999999');
      expect([all.text, truncatedIn(all)]).toEqual([
        (await client.send('/sessions')).text,
        undefined,
      ]);
      expect(Object(two.json())[0].id).toBe(none);
    });

    test('limits the history of one session', async () => {
      const client = world.client();
      const id = await talking(client, world, 3);
      const one = await client.send(`/session/${id}?history_limit=1`);
      expect([one.status, saidIn(one), truncatedIn(one)]).toEqual([200, ['2'], id]);
      const three = await client.send(`/session/${id}?history_limit=3`);
      expect([saidIn(three), truncatedIn(three)]).toEqual([['0', '1', '2'], undefined]);
      const whole = await client.send(`/session/${id}`);
      expect([saidIn(whole), truncatedIn(whole)]).toEqual([['0', '1', '2'], undefined]);
      const { history, ...rest } = Object(whole.json());
      expect(Object((await client.send(`/session/${id}?history_limit=0`)).json())).toEqual({
        ...rest,
        history: [],
      });
      expect(history).toHaveLength(3);
    });

    test('is repeated in the links of a list', async () => {
      const client = world.client();
      await client.createSeveral(2);
      const reply = await client.send('/sessions?limit=1&history_limit=0');
      expect(reply.headers['link']).toContain(
        `<${client.at('/sessions')}?limit=1&page=2&history_limit=0>; rel="next"`,
      );
    });

    test('is reported by HEAD as by GET', async () => {
      const client = world.client();
      const id = await talking(client, world, 3);
      for (const path of ['/sessions?history_limit=1', `/session/${id}?history_limit=1`]) {
        const head = await client.send(path, { method: 'HEAD' });
        expect([head.status, truncatedIn(head)]).toEqual([200, id]);
      }
      expect(truncatedIn(await client.send(`/session/${id}`, { method: 'HEAD' }))).toBeUndefined();
    });

    test.each(junk)('is answered with 400 and named for the value %j', async (value) => {
      const client = world.client();
      const { id } = await client.created();
      expectInvalid(await client.send(`/sessions?history_limit=${value}`), 'history_limit');
      expectInvalid(await client.send(`/session/${id}?history_limit=${value}`), 'history_limit');
    });

    test('is answered with 400 and named if it is repeated', async () => {
      const client = world.client();
      const { id } = await client.created();
      expectInvalid(
        await client.send('/sessions?history_limit=1&history_limit=1'),
        'history_limit',
      );
      expectInvalid(
        await client.send(`/session/${id}?history_limit=1&history_limit=2`),
        'history_limit',
      );
    });
  });
};
