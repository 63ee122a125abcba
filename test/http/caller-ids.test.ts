import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient, SessionFailure } from '../../src/client/index.js';
import { commandRoutes, createSessionHandler } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import type { Fields } from '../../src/session/fields.js';

const ada = { face: 'ada', profile: 'tutor' };

const bodyOf = async (answer: Response): Promise<Fields> => JSON.parse(await answer.text());

const open = () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'acme',
    routes: [commandRoutes()],
  });
  const serve = fetchHandler(handler);
  const fetch = async (url: string, init?: RequestInit) => serve(new Request(url, init));
  const post = (path: string, body: object) =>
    fetch(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'X-API-KEY': 'key', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    sessions,
    post,
    client: new SessionClient({ baseUrl: 'http://localhost', apiKey: 'key', fetch }),
  };
};

describe('caller-chosen ids over HTTP', () => {
  test('are answered by get-or-create-session with 201 for a new session, and 200 for an existing one', async () => {
    const { post } = open();
    const created = await post('/get-or-create-session/chat%2F1', ada);
    expect([created.status, created.headers.get('Location')]).toEqual([201, '/session/chat%2F1']);
    expect(await created.json()).toMatchObject({
      id: 'chat/1',
      status: 'ACTIVE',
      history: [],
      created: true,
    });
    const again = await post('/get-or-create-session/chat%2F1', { face: 'eve', profile: 'nurse' });
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ options: ada, created: false });
  });

  test('require a face and a profile, which an embedding host may omit', async () => {
    const { post, sessions } = open();
    const answers = [
      await post('/create-session', {}),
      await post('/get-or-create-session/chat-1', {}),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect((await bodyOf(answer))['errors']).toEqual([
        { path: 'face', message: 'is required' },
        { path: 'profile', message: 'is required' },
      ]);
    }
    expect((await sessions.orThrow.create({})).options).toMatchObject({ face: '', profile: '' });
  });

  test('are answered with 409 if they are taken', async () => {
    const { post } = open();
    expect((await post('/create-session-with-id/chat-1', ada)).status).toBe(201);
    const taken = await post('/create-session-with-id/chat-1', ada);
    expect([taken.status, (await bodyOf(taken))['code']]).toEqual([409, 'id_taken']);
  });

  test('are accepted by the client, which rejects with a SessionFailure under orThrow', async () => {
    const { client } = open();
    const { id } = await client.orThrow.create({ id: 'chat-1', ...ada });
    expect(await client.orThrow.getOrCreate({ id, ...ada })).toMatchObject({
      id,
      created: false,
      status: 'IDLE',
    });
    const taken = await client.create({ id, ...ada });
    expect(taken._unsafeUnwrapErr()).toMatchObject({ type: 'id_taken', id });
    await expect(client.orThrow.pause(id)).rejects.toBeInstanceOf(SessionFailure);
    const lease = { holder: 'worker', seconds: 30 };
    const started = await client.orThrow.withLease(id, lease, (held) => held.sessions.start(id));
    expect(started).toMatchObject({ status: 'ACTIVE' });
  });

  test('work with withLease, whose sessions send the token', async () => {
    const { client, sessions } = open();
    const { id } = await client.orThrow.getOrCreate({ id: 'chat-1', ...ada });
    const result = await client.withLease(id, { holder: 'worker', seconds: 30 }, async (held) => {
      await sessions.forTenant('acme').orThrow.release(id, { fencingToken: held.fencingToken });
      return held.sessions.append(id, [{ role: 'assistant', content: 'Hello' }]);
    });
    expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'lease_lost' });
    expect((await sessions.forTenant('acme').orThrow.get(id)).historyCount).toBe(0);
  });
});
