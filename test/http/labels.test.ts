import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import { createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';

const open = (options: { readonly labels?: boolean } = {}) => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const handler = createSessionHandler({ sessions, authenticate: () => 'acme', routes: [eventRoutes()], ...options });
  const serve = fetchHandler(handler);
  const fetch = async (url: string, init?: RequestInit) => serve(new Request(url, init));
  return new SessionClient({ baseUrl: 'http://localhost', apiKey: 'key', fetch });
};

const input = { face: 'ada', profile: 'tutor', labels: { user: 'u-1', channel: 'web', duration: '7' } };

describe('labels over HTTP', () => {
  test('are shown with sessions, in lists and in snapshots where the host switches them on', async () => {
    const client = open({ labels: true });
    const { id } = (await client.create(input))._unsafeUnwrap();
    expect((await client.get(id))._unsafeUnwrap().labels).toEqual(input.labels);
    expect((await client.list())._unsafeUnwrap().sessions[0]?.labels).toEqual(input.labels);
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({ type: 'session.snapshot', session: { labels: input.labels } });
      break;
    }
  });

  test('are not shown otherwise, and find sessions all the same', async () => {
    const client = open();
    const { id } = (await client.create(input))._unsafeUnwrap();
    expect((await client.get(id))._unsafeUnwrap()).not.toHaveProperty('labels');
    expect((await client.list({ labels: { channel: 'web' } }))._unsafeUnwrap()).toMatchObject({ total: 1 });
  });

  test('are switched on or off, and nothing else', () => {
    for (const labels of [1, 'yes', null]) {
      expect(() => Reflect.apply(open, undefined, [{ labels }])).toThrow('labels must be true or false');
    }
  });
});
