import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionClient } from '../../src/client/index.js';
import { commandRoutes, createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';

const open = (options: { readonly sessionTimes?: boolean; readonly labels?: boolean } = {}) => {
  const clock = new ManualClock();
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }), clock });
  const routes = [commandRoutes(), eventRoutes()];
  const serve = fetchHandler(
    createSessionHandler({ sessions, authenticate: () => 'acme', routes, ...options }),
  );
  const fetch = async (url: string, init?: RequestInit) => serve(new Request(url, init));
  return {
    client: new SessionClient({ baseUrl: 'http://localhost', apiKey: 'key', fetch }),
    fetch,
    clock,
  };
};

const input = { face: 'ada', profile: 'tutor', timeLimit: 60, labels: { duration: '7' } };
const [noon, end] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:01:00.000Z'];

const jsonOf = async (fetch: ReturnType<typeof open>['fetch'], id: string): Promise<unknown> =>
  (await fetch(`http://localhost/session/${id}`, { headers: { 'X-Api-Key': 'key' } })).json();

describe('session times over HTTP', () => {
  test('are shown in sessions, lists and snapshots if the host enables them', async () => {
    const { client, clock } = open({ sessionTimes: true, labels: true });
    const { id } = (await client.create(input))._unsafeUnwrap();
    await client.start(id);
    clock.pass(1500);
    const times = { startedAt: noon, endsAt: end, updatedAt: noon, durationMs: 1500, duration: 1 };
    expect((await client.get(id))._unsafeUnwrap()).toMatchObject(times);
    expect((await client.list())._unsafeUnwrap().sessions[0]).toMatchObject(times);
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({
        type: 'session.snapshot',
        session: { ...times, labels: input.labels },
      });
      break;
    }
    clock.pass(1000);
    for await (const change of client.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({
        session: { ...times, durationMs: 2500, duration: 2 },
      });
      break;
    }
    clock.pass(60_000);
    const over = (await client.get(id))._unsafeUnwrap();
    expect(over).toMatchObject({
      startedAt: noon,
      endedAt: end,
      updatedAt: end,
      durationMs: 60_000,
    });
    expect(over).not.toHaveProperty('endsAt');
  });

  test('have these wire names', async () => {
    const { client, fetch } = open({ sessionTimes: true });
    const { id } = (await client.create(input))._unsafeUnwrap();
    await client.start(id);
    const times = { started_at: noon, ends_at: end, updated_at: noon, duration_ms: 0 };
    expect(await jsonOf(fetch, id)).toMatchObject(times);
    await client.terminate(id);
    const { ends_at: _, ...kept } = times;
    expect(await jsonOf(fetch, id)).toMatchObject({ ...kept, ended_at: noon });
  });

  test('are hidden by default, so that a session has its six fields', async () => {
    const { client, fetch } = open();
    const { id } = (await client.create(input))._unsafeUnwrap();
    await client.start(id);
    const fields = ['id', 'status', 'options', 'history', 'created_at', 'duration'];
    expect(Object.keys(Object(await jsonOf(fetch, id)))).toEqual(fields);
  });

  test('require times to be true or false', () => {
    for (const sessionTimes of [1, 'yes', null]) {
      expect(() => Reflect.apply(open, undefined, [{ sessionTimes }])).toThrow(
        'sessionTimes must be true or false',
      );
    }
  });
});
