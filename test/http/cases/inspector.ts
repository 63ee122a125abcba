import { describe, expect, test } from 'vitest';
import { type Outgoing, send } from '../client.js';
import { expectProblem } from '../problems.js';
import { type Client, keyOf, type World } from '../world.js';

/** What a browser sends of itself once its user has given the key as a password. */
const signedIn = (client: Client): Readonly<Record<string, string>> => ({
  Authorization: `Basic ${btoa(`anybody:${keyOf(client.tenant)}`)}`,
  'Sec-Fetch-Site': 'same-origin',
});

export const inspectorCases = (world: World): void => {
  describe('the inspector routes', () => {
    const ask = (
      client: Client,
      path: string,
      { headers = signedIn(client), ...rest }: Outgoing = {},
    ) => send(world.origin, client.at(`/inspector${path}`), { headers, ...rest });

    test('serve the page under its content security policy', async () => {
      const { status, headers, text } = await ask(world.client(), '');
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(text).toContain('<!doctype html>');
    });

    test("serve the tenant's sessions, and single ones", async () => {
      const client = world.client();
      const { id } = await client.created();
      const listed = await ask(client, '/sessions');
      expect([listed.headers['x-total-count'], listed.json()]).toEqual([
        '1',
        [expect.objectContaining({ id })],
      ]);
      expect((await ask(client, `/session/${id}`)).json()).toMatchObject({ id, status: 'IDLE' });
      expectProblem(await ask(world.client(), `/session/${id}`), 404, 'not_found');
    });

    test('end a session on request of the page only', async () => {
      const client = world.client();
      const { id } = await client.created();
      const path = `/terminate-session/${id}`;
      expect((await ask(client, path, { method: 'POST' })).status).toBe(403);
      const headers = { ...signedIn(client), 'X-Colloquy-Inspector': '1' };
      expect((await ask(client, path, { method: 'POST', headers })).status).toBe(200);
      expect((await client.sessions.get(id))._unsafeUnwrap().status).toBe('TERMINATED');
    });

    test('ask for a password, and reject an X-API-KEY', async () => {
      const client = world.client();
      const reply = await ask(client, '', { headers: { 'X-API-KEY': keyOf(client.tenant) } });
      expect([reply.status, reply.headers['www-authenticate']]).toEqual([
        401,
        'Basic realm="Colloquy", charset="UTF-8"',
      ]);
    });
  });
};
