import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import { commandRoutes, createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';

const open = (
  options: { readonly labels?: boolean; readonly metadata?: boolean } = {},
  hear: (url: string) => void = () => {},
) => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'acme',
    routes: [eventRoutes(), commandRoutes()],
    ...options,
  });
  const serve = fetchHandler(handler);
  const fetch = async (url: string, init?: RequestInit) => {
    hear(url);
    return serve(new Request(url, init));
  };
  return new SessionClient({ baseUrl: 'http://localhost', apiKey: 'key', fetch });
};

const input = {
  face: 'ada',
  profile: 'tutor',
  labels: { user: 'u-1', channel: 'web', duration: '7' },
};

describe('labels over HTTP', () => {
  test('are shown in sessions, lists and snapshots if the host enables them', async () => {
    const client = open({ labels: true });
    const { id } = (await client.create(input))._unsafeUnwrap();
    expect((await client.get(id))._unsafeUnwrap().labels).toEqual(input.labels);
    expect((await client.list())._unsafeUnwrap().sessions[0]?.labels).toEqual(input.labels);
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({
        type: 'session.snapshot',
        session: { labels: input.labels },
      });
      break;
    }
  });

  test('are hidden by default, and filter sessions nevertheless', async () => {
    const client = open();
    const { id } = (await client.create(input))._unsafeUnwrap();
    expect((await client.get(id))._unsafeUnwrap()).not.toHaveProperty('labels');
    expect((await client.list({ labels: { channel: 'web' } }))._unsafeUnwrap()).toMatchObject({
      total: 1,
    });
  });

  test('require labels to be true or false', () => {
    for (const labels of [1, 'yes', null]) {
      expect(() => Reflect.apply(open, undefined, [{ labels }])).toThrow(
        'labels must be true or false',
      );
    }
  });
});

describe('metadata over HTTP', () => {
  const metadata = { title: 'Tax return', steps: [1, { isDone: false }] };

  test('is shown with its revision in reads, lists and watches if the host enables it', async () => {
    const client = open({ metadata: true });
    const { id } = (await client.create({ ...input, metadata }))._unsafeUnwrap();
    const session = (await client.get(id))._unsafeUnwrap();
    expect(session).toMatchObject({ metadata, revision: expect.any(Number) });
    expect(session).not.toHaveProperty('labels');
    expect((await client.list())._unsafeUnwrap().sessions[0]).toMatchObject({ metadata });
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({
        type: 'session.snapshot',
        session: { metadata },
      });
      break;
    }
  });

  test('is hidden by default', async () => {
    const client = open();
    const { id } = (await client.create({ ...input, metadata }))._unsafeUnwrap();
    expect(Object.keys((await client.get(id))._unsafeUnwrap())).toHaveLength(6);
    expect(() => Reflect.apply(open, undefined, [{ metadata: 1 }])).toThrow(
      'metadata must be true or false',
    );
  });

  test('is updated conditionally with ifRevision, without a retry', async () => {
    const requests: string[] = [];
    const client = open({ metadata: true }, (url) => requests.push(url));
    const { id } = (await client.create({ ...input, metadata }))._unsafeUnwrap();
    const { revision = 0 } = (await client.get(id))._unsafeUnwrap();
    const options = { ifRevision: revision };
    const updated = await client.update(
      id,
      { metadata: { title: null, a: 1 }, labels: { b: 'x' } },
      options,
    );
    const second = (await client.get(id))._unsafeUnwrap();
    expect(second).toMatchObject({
      metadata: { a: 1 },
      revision: updated._unsafeUnwrap().revision,
    });
    requests.length = 0;
    const late = await client.update(id, { metadata: { a: 2 } }, options);
    expect(late._unsafeUnwrapErr()).toMatchObject({ type: 'conflict' });
    expect(requests).toHaveLength(1);
    expect((await client.get(id))._unsafeUnwrap().metadata).toEqual({
      steps: metadata.steps,
      a: 1,
    });
  });

  test('is rejected by name if it is not JSON', async () => {
    const client = open({ metadata: true });
    for (const wrong of [{ a: 1n }, { a: Number.NaN }, [], 5]) {
      const call: ReturnType<typeof client.create> = Reflect.apply(client.create, client, [
        { ...input, metadata: wrong },
      ]);
      expect((await call)._unsafeUnwrapErr()).toMatchObject({ issues: [{ path: 'metadata' }] });
    }
  });
});
