import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid, expectProblem } from '../problems.js';
import type { Client, World } from '../world.js';

const said = { entries: [{ role: 'assistant', content: 'Hello' }] };
const worker = { holder: 'worker-1', seconds: 30 };

const post = (
  client: Client,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => client.command(path, headers, body);

interface WireClaim {
  readonly session: Readonly<Record<string, unknown>>;
  readonly lease: { readonly fencing_token: number };
  readonly attempt: number;
  readonly waiting_since: string;
}

const claimedIn = (reply: Reply): readonly WireClaim[] => Object(reply.json()).claimed;
const idsIn = (reply: Reply): readonly unknown[] =>
  claimedIn(reply).map(({ session }) => session['id']);

export const workCases = (world: World): void => {
  const claim = (client: Client, more: object = {}) =>
    post(client, '/claim-sessions', { ...worker, ...more });

  const waiting = async (client: Client): Promise<string> => {
    const { id } = await client.created();
    (await client.sessions.start(id))._unsafeUnwrap();
    expect((await post(client, `/wake-session/${id}`, {})).status).toBe(204);
    return id;
  };

  /** A session that this client has claimed, and the token of its lease. */
  const claimed = async (client: Client) => {
    const id = await waiting(client);
    const [work] = claimedIn(await claim(client));
    return { id, fencing_token: work?.lease.fencing_token ?? 0 };
  };

  describe('wake-session and claim-sessions', () => {
    test('give a waiting session to one worker, with its lease, attempt and time', async () => {
      const client = world.client();
      const since = new Date(world.clock.now()).toISOString();
      const id = await waiting(client);
      const reply = await claim(client, { limit: 5 });
      expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store']);
      const until = new Date(world.clock.now() + 30_000).toISOString();
      const lease = { holder: 'worker-1', fencing_token: expect.any(Number), until };
      const session = expect.objectContaining({ id, status: 'ACTIVE' });
      const turn = { turn: 1, messages: [], woken: true, start: 0, position: 0 };
      const all = [{ session, ...turn, lease, attempt: 1, waiting_since: since }];
      expect(reply.json()).toEqual({ claimed: all, unreadable: [], limit: 5 });
      expect((await claim(client)).json()).toEqual({ claimed: [], unreadable: [], limit: 1 });
    });

    test('return the longest waiting sessions first, up to the limit', async () => {
      const client = world.client();
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.push(await waiting(client));
        world.clock.pass(1000);
      }
      expect(idsIn(await claim(client, { limit: 2 }))).toEqual(ids.slice(0, 2));
      expect(idsIn(await claim(client, { limit: null, attempts: null }))).toEqual(ids.slice(2));
    });

    test('return the requested number of latest entries, and the end of the history', async () => {
      const client = world.client();
      const id = await waiting(client);
      const data = { of: 'the user' };
      const entries = ['One', 'Two'].map((content) => ({ role: 'user', content, data }));
      const ends: number[] = [];
      for (const entry of entries)
        ends.push((await client.sessions.append(id, [entry]))._unsafeUnwrap().position);
      const [one = 0, position = 0] = ends;
      const timestamp = new Date(world.clock.now()).toISOString();
      for (const [history_limit, history, start] of [
        [null, [], position],
        [0, [], position],
        [1, entries.slice(1), one],
        [5000, entries, 0],
      ] as const) {
        const [work] = claimedIn(await claim(client, { history_limit }));
        expect(work).toMatchObject({
          session: { history: history.map((each) => ({ ...each, timestamp })) },
          start,
          position,
        });
        const { fencing_token } = work?.lease ?? {};
        await post(client, `/wake-session/${id}`, {});
        await post(client, `/release-session/${id}`, { fencing_token, done: true });
      }
    });

    test('wait for a future time, and wake without a body', async () => {
      const client = world.client();
      const { id } = await client.created();
      const at = new Date(world.clock.now() + 5000).toISOString();
      expect((await post(client, `/wake-session/${id}`, { at })).status).toBe(204);
      expect(idsIn(await claim(client))).toEqual([]);
      world.clock.pass(5000);
      expect(idsIn(await claim(client))).toEqual([id]);
    });

    test("never return another tenant's session", async () => {
      const [client, other] = [world.client(), world.client()];
      const id = await waiting(client);
      expect(idsIn(await claim(other, { limit: 100 }))).toEqual([]);
      expectProblem(await post(other, `/wake-session/${id}`, {}), 404, 'not_found');
      expectProblem(await post(other, `/cancel-work/${id}`, {}), 404, 'not_found');
      expect(idsIn(await claim(client))).toEqual([id]);
    });

    test('name what is wrong with the request', async () => {
      const client = world.client();
      const id = await waiting(client);
      expectInvalid(await post(client, '/claim-sessions', {}), 'holder', 'seconds');
      expectInvalid(await claim(client, { limit: 0 }), 'limit');
      expectInvalid(await claim(client, { attempts: 1001 }), 'attempts');
      expectInvalid(await claim(client, { history_limit: -1 }), 'history_limit');
      expectInvalid(await post(client, `/wake-session/${id}`, { at: 'soon' }), 'at');
      expectInvalid(await post(client, `/cancel-work/${id}`, { reason: '' }), 'reason');
      expectInvalid(
        await post(client, `/release-session/${id}`, { fencing_token: 1, done: 'yes' }),
        'done',
      );
      (await client.sessions.terminate(id))._unsafeUnwrap();
      expectProblem(await post(client, `/wake-session/${id}`, {}), 409, 'invalid_transition');
      expectProblem(await post(client, `/cancel-work/${id}`, {}), 409, 'invalid_transition');
    });
  });

  describe('release-session of a claim', () => {
    test('ends the work with done, and otherwise lets the session wait for the next attempt', async () => {
      const client = world.client();
      const { id, fencing_token } = await claimed(client);
      const undone = { fencing_token, done: false };
      expect((await post(client, `/release-session/${id}`, undone)).status).toBe(200);
      expect(idsIn(await claim(client))).toEqual([]);
      world.clock.pass(1000);
      const [again] = claimedIn(await claim(client));
      expect(again).toMatchObject({ session: { id }, attempt: 2 });
      const done = { fencing_token: again?.lease.fencing_token, done: true };
      expect((await post(client, `/release-session/${id}`, done)).status).toBe(200);
      world.clock.pass(3_600_000);
      expect(idsIn(await claim(client))).toEqual([]);
    });

    test('keeps a wake that came after the claim', async () => {
      const client = world.client();
      const { id, fencing_token } = await claimed(client);
      await post(client, `/wake-session/${id}`, {});
      await post(client, `/release-session/${id}`, { fencing_token, done: true });
      expect(idsIn(await claim(client))).toEqual([id]);
    });
  });

  describe('cancel-work', () => {
    test.each([
      [{ reason: 'The user has left.' }, 'The user has left.'],
      [{ reason: null }, undefined],
      [{}, undefined],
    ])(
      'with %j fails each call of the worker but its release with 409 cancelled and the reason',
      async (body, reason) => {
        const client = world.client();
        const { id, fencing_token } = await claimed(client);
        const reply = await post(client, `/cancel-work/${id}`, body);
        expect([reply.status, reply.text]).toEqual([204, '']);
        const fenced = { 'X-Fencing-Token': `${fencing_token}` };
        for (const refused of [
          await post(client, `/append-history/${id}`, said, fenced),
          await client.command(`/pause-session/${id}`, fenced),
          await post(client, `/renew-session/${id}`, { fencing_token, seconds: 5 }),
        ]) {
          expectProblem(refused, 409, 'cancelled');
          expect(Object(refused.json()).reason).toBe(reason);
        }
        const done = { fencing_token, done: true };
        const released = await post(client, `/release-session/${id}`, done);
        expect([released.status, released.text]).toEqual([200, '{"stopped":true}']);
        expect((await post(client, `/cancel-work/${id}`, body)).status).toBe(204);
        expect((await post(client, `/append-history/${id}`, said)).status).toBe(200);
      },
    );
  });
};
