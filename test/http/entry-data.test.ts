import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';

const open = async (options: { readonly entryData?: boolean } = {}) => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const routes = [commandRoutes(), historyRoutes(), eventRoutes()];
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'acme',
    routes,
    ...options,
  });
  const serve = fetchHandler(handler);
  const fetch = async (url: string, init?: RequestInit) => serve(new Request(url, init));
  const client = new SessionClient({ baseUrl: 'http://localhost', apiKey: 'key', fetch });
  const { id } = (await client.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
  (await client.start(id))._unsafeUnwrap();
  const entry = {
    role: 'assistant',
    content: 'Hello',
    id: 'm-1',
    data: { tokens: 3, nested: { duration: 7 } },
  };
  const { position } = (await client.append(id, [entry]))._unsafeUnwrap();
  return { client, id, entry, position };
};

describe('entry ids and data over HTTP', () => {
  test.each([undefined, false, true])(
    'are shown in sessions only if entryData is true: %j',
    async (entryData) => {
      const { client, id, entry } = await open(entryData === undefined ? {} : { entryData });
      const plain = { role: entry.role, content: entry.content, timestamp: expect.any(String) };
      const expected = entryData === true ? { ...plain, id: entry.id, data: entry.data } : plain;
      expect((await client.get(id))._unsafeUnwrap().history).toEqual([expected]);
      expect((await client.list())._unsafeUnwrap().sessions[0]?.history).toEqual([expected]);
    },
  );

  test('are always shown in history parts, with their positions, and in snapshots', async () => {
    const { client, id, entry, position } = await open();
    expect((await client.history(id))._unsafeUnwrap().entries).toMatchObject([
      { ...entry, position },
    ]);
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({
        type: 'session.snapshot',
        session: { history: [entry] },
      });
      break;
    }
    for await (const change of client.watch(id, { historyLimit: 0 })) {
      expect(change._unsafeUnwrap()).toMatchObject({
        type: 'session.snapshot',
        session: { history: [] },
      });
      break;
    }
  });

  test('are rejected by name if they break a rule', async () => {
    const { client, id } = await open();
    const refused = await client.append(id, [{ role: 'user', content: 'x', id: '' }]);
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'entries[0].id' }],
    });
  });

  test('require entryData to be true or false', async () => {
    for (const entryData of [1, 'yes', null]) {
      await expect(Reflect.apply(open, undefined, [{ entryData }])).rejects.toThrow(
        'entryData must be true or false',
      );
    }
  });
});
