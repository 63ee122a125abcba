import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { SessionClient } from '../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  type HandlerError,
  historyRoutes,
} from '../../src/http/index.js';
import { custom, openWithSchemas, type Schemas, said } from '../support/schemas.js';
import { ada, errorOf, okOf } from '../support/sessions.js';

const schemas = {
  metadata: z.object({ userName: z.string(), token: z.number().default(() => Math.random()) }),
  data: z.object({ kind: z.enum(['call', 'result']), token: z.number().default(Math.random) }),
};

const open = (given: Schemas = schemas) => {
  const { sessions, lax } = openWithSchemas(given);
  const errors: HandlerError[] = [];
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'default',
    routes: [commandRoutes(), historyRoutes(), eventRoutes()],
    metadata: true,
    entryData: true,
    onError: (error) => errors.push(error),
  });
  const serve = fetchHandler(handler);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    serve(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-KEY': 'key', ...headers },
        body: JSON.stringify(body),
      }),
    );
  const fetch = async (url: string, init?: RequestInit) => serve(new Request(url, init));
  const client = new SessionClient<typeof schemas>({
    baseUrl: 'http://localhost',
    apiKey: 'key',
    fetch,
    retries: 0,
  });
  return { client, lax, post, errors };
};

const metadata = { userName: 'ada' };

describe('schemas of metadata and data over HTTP', () => {
  test('answer 400 with the paths of the schema', async () => {
    const { post } = open();
    const created = await post('/create-session', { ...ada, metadata: { userName: 5 } });
    expect(created.status).toBe(400);
    expect(await created.json()).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'metadata.userName', message: expect.stringContaining('string') }],
    });
    const entries = [said(), said({ kind: 'other' })];
    const body = { ...ada, metadata, start: true, entries };
    expect(await (await post('/create-session', body)).json()).toMatchObject({
      errors: [{ path: 'entries[1].data.kind' }],
    });
    const missing = await post('/create-session', ada);
    expect(await missing.json()).toMatchObject({ errors: [{ path: 'metadata.userName' }] });
  });

  test("reject a client's commands with the same paths", async () => {
    const { client, lax } = open();
    const { id } = await okOf(client.create({ ...ada, metadata, start: true }));
    const entries = [said({ kind: 'other' })];
    // As JavaScript may call it.
    const untyped: SessionClient = client;
    expect(await errorOf(untyped.append(id, entries))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'entries[0].data.kind' }],
    });
    expect(await errorOf(client.update(id, { metadata: { userName: null } }))).toMatchObject({
      issues: [{ path: 'metadata.userName' }],
    });
    expect(await okOf(lax.get(id))).toMatchObject({ metadata, history: [] });
  });

  test('recognise a repeated request, even with random defaults', async () => {
    const { client, post } = open();
    const { id } = await okOf(client.create({ ...ada, metadata, start: true }));
    const append = () =>
      post(
        `/append-history/${id}`,
        { entries: [said({ kind: 'call' })] },
        { 'Idempotency-Key': 'a' },
      );
    const first = await (await append()).json();
    const again = await append();
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
    const create = () => client.create({ ...ada, metadata, idempotencyKey: 'b' });
    const { id: created } = await okOf(create());
    expect(await okOf(create())).toEqual({ id: created, repeated: true });
  });

  test('answer 500 if they throw, and are reported with the name of their option', async () => {
    const { post, errors } = open({ metadata: custom(() => Promise.reject(new Error('secret'))) });
    const created = await post('/create-session', ada);
    expect(created.status).toBe(500);
    expect(await created.text()).not.toMatch(/secret|schemas/);
    expect(errors).toMatchObject([
      { type: 'misconfigured', message: 'schemas.metadata threw an exception' },
    ]);
  });
});
