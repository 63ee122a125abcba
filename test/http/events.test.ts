import { err } from 'neverthrow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  type HandlerResponse,
} from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { okOf } from '../support/sessions.js';
import { timersLeftBy } from '../support/timers-left-by.js';
import { handlerWith, request, seen } from './handler-harness.js';

const SECRET = 'redis://user:password@10.0.0.1';

const watchX = request('GET', '/session/x/events');

const open = () => {
  const clock = new ManualClock();
  const store = new MemorySessionStore({ events: true });
  const sessions = new SessionService({ store, clock, ids: { next: () => 'x' } }).forTenant('acme');
  return { clock, sessions };
};

const textsOf = (response: HandlerResponse | undefined): AsyncIterator<string, void> => {
  if (response?.stream === undefined) throw new Error(`no stream: ${JSON.stringify(response)}`);
  const pieces = response.stream[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  return {
    next: async () => {
      const next = await pieces.next();
      return next.done
        ? { done: true, value: undefined }
        : { done: false, value: decoder.decode(next.value) };
    },
    return: async () => {
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  };
};

/** Reads to the end of the snapshot. */
const pastSnapshot = async (texts: AsyncIterator<string>): Promise<void> => {
  for (let all = ''; !all.endsWith('\n\n'); ) all += String((await texts.next()).value);
};

const allOf = async (texts: AsyncIterator<string>): Promise<string> => {
  let all = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) all += next.value;
  return all;
};

/** A handler over an existing session, whose watch behaves differently after its snapshot. */
const handlerOver = async (watch: () => AsyncIterable<unknown>) => {
  const { sessions } = open();
  await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
  const changed = Object.assign(Object.create(sessions), {
    watch: (...args: Parameters<SessionService['watch']>) => {
      const first = sessions.watch(...args)[Symbol.asyncIterator]();
      let rest: AsyncIterator<unknown> | undefined;
      let calls = 0;
      const iterator = {
        next: async () => {
          calls += 1;
          if (calls === 1) return first.next();
          rest ??= watch()[Symbol.asyncIterator]();
          return rest.next();
        },
        return: async () => rest?.return?.(),
      };
      return { [Symbol.asyncIterator]: () => iterator };
    },
  });
  return handlerWith({ sessions: { forTenant: () => changed }, routes: [eventRoutes()] });
};

afterEach(() => {
  vi.useRealTimers();
});

describe('events over HTTP', () => {
  test('answer 404 unless the host enables them', async () => {
    for (const options of [{}, { routes: [commandRoutes()] }]) {
      expect(await handlerWith(options).handler(watchX)).toBeUndefined();
    }
    for (const routes of [[eventRoutes()], [commandRoutes(), eventRoutes({ heartbeatMs: 1000 })]]) {
      expect(await handlerWith({ routes }).handler(watchX)).toBeDefined();
    }
  });

  test.each([
    ['options', 'on'],
    ['options', null],
    ['heartbeatMs', { heartbeatMs: 999 }],
    ['heartbeatMs', { heartbeatMs: 300_001 }],
    ['heartbeatMs', { heartbeatMs: '1000' }],
    ['maxStreamsPerTenant', { maxStreams: 5, maxStreamsPerTenant: 6 }],
    ['heartbeat', { heartbeat: 5000 }],
  ])('throw at creation for their %s with %j', (name, nonsense) => {
    expect(() => Reflect.apply(eventRoutes, undefined, [nonsense])).toThrow(
      new RegExp(`^eventRoutes: ${name} `),
    );
  });

  test('answer 500 misconfigured if the store has no events or the sessions cannot be watched', async () => {
    const silent = handlerWith({ routes: [eventRoutes()] });
    expect(seen(await silent.handler(watchX))).toEqual([500, 'misconfigured']);
    expect(silent.told).toMatchObject([
      { message: expect.stringMatching(/^the store has no events/) },
    ]);
    const sessions = { forTenant: () => ({ get: 1, list: 1, create: 1 }) };
    const blind = vi.fn();
    const options = {
      sessions,
      authenticate: () => 'acme',
      routes: [eventRoutes()],
      onError: blind,
    };
    const handler = Reflect.apply(createSessionHandler, undefined, [options]);
    expect(seen(await handler(watchX))).toEqual([500, 'misconfigured']);
    expect(blind.mock.calls).toMatchObject([[{ message: expect.stringMatching(/^sessions/) }]]);
  });

  test('send a heartbeat when nothing has happened for a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { sessions } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
    const left = await timersLeftBy(async () => {
      const { handler } = handlerWith({ sessions, routes: [eventRoutes({ heartbeatMs: 1000 })] });
      const texts = textsOf(await handler(watchX));
      await pastSnapshot(texts);
      for (let beat = 0; beat < 2; beat += 1) {
        const next = texts.next();
        await vi.advanceTimersByTimeAsync(1000);
        expect(await next).toEqual({ done: false, value: ': heartbeat\n' });
      }
      const next = texts.next();
      await vi.advanceTimersByTimeAsync(999);
      await okOf(sessions.start('x'));
      expect((await next).value).toMatch(/event: session\.changed\n.*"status":"ACTIVE"/);
      const last = texts.next();
      await texts.return?.();
      expect(await last).toEqual({ done: true, value: undefined });
    });
    expect(left).toBe(0);
  });

  test('send the first heartbeat after five minutes, if that is `heartbeatMs`', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { sessions } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
    const { handler } = handlerWith({ sessions, routes: [eventRoutes({ heartbeatMs: 300_000 })] });
    const texts = textsOf(await handler(watchX));
    await pastSnapshot(texts);
    const next = vi.fn();
    const beat = texts.next().then(next);
    await vi.advanceTimersByTimeAsync(299_999);
    expect(next).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await beat;
    expect(next).toHaveBeenCalledWith({ done: false, value: ': heartbeat\n' });
    await texts.return?.();
  });

  test("end immediately when the handler's signal is aborted, and so do later ones", async () => {
    const { sessions } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
    const stopping = new AbortController();
    const { signal } = stopping;
    const { handler } = handlerWith({ sessions, signal, routes: [eventRoutes()] });
    const streams = await Promise.all([handler(watchX), handler(watchX)]);
    const waiting = streams.map(async (stream) => {
      const texts = textsOf(stream);
      await pastSnapshot(texts);
      return allOf(texts);
    });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    stopping.abort();
    expect(await Promise.all(waiting)).toEqual(['', '']);
    expect(await allOf(textsOf(await handler(watchX)))).toBe('');
  });

  test('serialise each change once for all streams, also with different forms', async () => {
    const { sessions } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
    const routes = [eventRoutes()];
    const { handler } = handlerWith({ sessions, routes });
    const { handler: labelled } = handlerWith({ sessions, routes, labels: true });
    const all = await Promise.all(
      [handler, handler, handler, labelled].map(async (of) => textsOf(await of(watchX))),
    );
    for (const texts of all) await pastSnapshot(texts);
    const next = all.map((texts) => texts.next());
    const write = vi.spyOn(JSON, 'stringify');
    await okOf(sessions.start('x'));
    const seenBy = (await Promise.all(next)).map(({ value }) => value);
    const written = write.mock.calls.filter(
      ([value]) => Reflect.get(Object(value), 'type') === 'session.changed',
    );
    write.mockRestore();
    expect(written).toHaveLength(2);
    expect(new Set(seenBy.slice(0, 3)).size).toBe(1);
    expect(seenBy[0]).toContain('"status":"ACTIVE"');
    expect([seenBy[0], seenBy[3]].map((text) => text?.includes('"labels"'))).toEqual([false, true]);
    for (const texts of all) await texts.return?.();
  });

  test('include the end of an overdue session without a sweep', async () => {
    const { sessions, clock } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 0.05 }));
    await okOf(sessions.start('x'));
    const texts = textsOf(await handlerWith({ sessions, routes: [eventRoutes()] }).handler(watchX));
    await pastSnapshot(texts);
    const rest = allOf(texts);
    clock.pass(50);
    expect(await rest).toMatch(
      /event: session\.changed\n.*"status":"TERMINATED".*"end_reason":"time_limit".*\n\nid: end\nevent: end\ndata: {"end_reason":"time_limit"}\n\n$/,
    );
  });

  test('include a warning before the end on request', async () => {
    const { sessions, clock } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 2 }));
    await okOf(sessions.start('x'));
    const { handler } = handlerWith({ sessions, routes: [eventRoutes()] });
    const texts = textsOf(await handler({ ...watchX, url: `${watchX.url}?warn_before=10` }));
    let all = '';
    while (!all.includes('session.expiring')) all += String((await texts.next()).value);
    clock.pass(2000);
    expect(await allOf(texts)).toMatch(/event: session\.changed\n.*"end_reason":"time_limit"/);
    const cursor = /id: (\S+)\nevent: session.snapshot/.exec(all)?.[1];
    expect(all).toContain(`id: ${cursor}
event: session.expiring
data: {"type":"session.expiring","at":"2026-01-31T12:00:00.000Z","ends_at":"2026-01-31T12:00:02.000Z","end_reason":"time_limit"}
`);
    for (const query of ['0', '', '1.5', '86401', 'x', '5&warn_before=6']) {
      const refused = await handler({ ...watchX, url: `${watchX.url}?warn_before=${query}` });
      expect([refused?.status, refused?.body]).toEqual([
        400,
        expect.stringContaining('"path":"warn_before"'),
      ]);
    }
  });

  test('include every entry in order for a slow client, and no second snapshot', async () => {
    const { sessions } = open();
    await okOf(sessions.create({ face: 'ada', profile: 'tutor' }));
    const texts = textsOf(await handlerWith({ sessions, routes: [eventRoutes()] }).handler(watchX));
    await pastSnapshot(texts);
    const first = texts.next();
    // From here on it waits for new events, and no longer reads old ones.
    await new Promise(setImmediate);
    await okOf(sessions.start('x'));
    await first;
    for (let turn = 0; turn < 1000; turn += 1)
      await okOf(sessions.append('x', [{ role: 'user', content: `${turn}` }]));
    await okOf(sessions.terminate('x'));
    const rest = await allOf(texts);
    const data = [...rest.matchAll(/^event: session\.changed\ndata: (.*)$/gm)].map(
      ([, json = '']) => JSON.parse(json),
    );
    const contents = data.flatMap(({ entries }) =>
      entries.map(({ content }: { content: string }) => content),
    );
    expect(contents).toEqual(Array.from({ length: 1000 }, (_, turn) => `${turn}`));
    expect(rest).not.toContain('session.snapshot');
    expect(rest).toMatch(/event: end\n/);
  });
});

const breakdowns: readonly (readonly [string, () => AsyncIterator<unknown>])[] = [
  [
    'throws',
    () => {
      throw new Error(SECRET);
    },
  ],
  ['rejects', () => ({ next: () => Promise.reject(new Error(SECRET)) })],
  ['says that it cannot', () => [err(storeUnavailable(SECRET, 'not_applied'))].values()],
  ['gives an error of no known type', () => [err({ type: 'nonsense', message: SECRET })].values()],
  ['gives nonsense', () => [5].values()],
].map(([name, begin]) => [String(name), Object(begin)]);

describe('a watch that fails after the response has begun', () => {
  test.each(breakdowns)(
    'reports only the error type to the client, and all of it to the host, if the store %s',
    async (_name, begin) => {
      const watch = (): AsyncIterable<unknown> => ({
        [Symbol.asyncIterator]: () => {
          const inner = begin();
          return { next: async () => inner.next() };
        },
      });
      const { handler, told: errors } = await handlerOver(watch);
      const all = await allOf(textsOf(await handler(watchX)));
      expect(all).toMatch(/\n\nevent: unavailable\ndata: {"code":"store_unavailable"}\n\n$/);
      expect(all).not.toContain(SECRET);
      expect(errors).toMatchObject([{ type: 'store_unavailable' }]);
    },
  );

  test('ends together with its client, even if it does not notice that', async () => {
    const { handler } = await handlerOver(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => Promise.reject(new Error(SECRET)),
      }),
    }));
    const texts = textsOf(await handler(watchX));
    await pastSnapshot(texts);
    const last = texts.next();
    await texts.return?.();
    expect(await last).toEqual({ done: true, value: undefined });
  });
});
