import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService, WatchOptions } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { pass, passUntil } from '../support/manual-clock.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching as followed } from '../support/watching.js';

const open = (
  store: SessionStore = new MemorySessionStore({ events: true }),
  options: object = {},
) => openSessions({ ...options, store });

const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) =>
  followed(sessions, id, options).next;

describe('the end of an overdue session in a watch', () => {
  test('is delivered once, at its deadline and with its reason, whichever process stores it and when', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const [early, other] = [watching(sessions, id), watching(sessions, id)];
    await Promise.all([early(), other()]);
    const ends = [early(), other()];
    clock.pass(50);
    const [end, same] = await Promise.all(ends);
    expect(end).toMatchObject({
      type: 'session.changed',
      session: {
        id,
        status: 'TERMINATED',
        endReason: 'time_limit',
        endedAt: '2026-01-31T12:00:00.050Z',
      },
      entries: [],
    });
    expect(same).toEqual(end);
    expect([await early(), await other()]).toEqual(['end', 'end']);
    clock.pass(60_000);
    await okOf(sessions.sweep());
    const all = sessions.watchAll({ cursor: '0' })[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await all.return?.();
    });
    const written = [await all.next(), await all.next(), await all.next()]
      .at(-1)
      ?.value?._unsafeUnwrap();
    expect(written).toMatchObject({
      type: 'session.terminated',
      sessionId: id,
      sequence: 3,
      endReason: 'time_limit',
      at: '2026-01-31T12:00:00.050Z',
    });
  });

  test("follows the service's clock, however far that is moved, and so does its warning", async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 36_000 });
    const watch = watching(sessions, id, { warnBefore: 60 });
    await watch();
    const warning = watch();
    await expect.poll(() => clock.waiting).toBe(1);
    clock.pass(35_940_000);
    expect(await warning).toMatchObject({
      type: 'session.expiring',
      at: '2026-01-31T21:59:00.000Z',
    });
    const end = watch();
    await expect.poll(() => clock.waiting).toBe(1);
    let isTold = false;
    void end.then(() => {
      isTold = true;
    });
    await pass(clock, 59_999);
    expect(isTold).toBe(false);
    clock.pass(1);
    expect(await end).toMatchObject({
      session: { status: 'TERMINATED', endedAt: '2026-01-31T22:00:00.000Z' },
    });
  });

  test('is delivered after a store outage', async () => {
    const inner = new MemorySessionStore({ events: true });
    let failures = 0;
    const find: SessionStore['find'] = (...args) => {
      failures -= 1;
      return failures < 0
        ? inner.find(...args)
        : err(storeUnavailable('there is an outage', 'not_applied'));
    };
    const { sessions, clock } = open(changed(inner, { events: inner.events, find }));
    const id = await startedIn(sessions, { timeLimit: 60 });
    const watch = watching(sessions, id);
    await watch();
    const end = watch();
    failures = 2;
    clock.pass(60_000);
    expect(briefOf(await passUntil(clock, end))).toBe('changed TERMINATED time_limit');
    expect(failures).toBeLessThan(0);
  });

  test('comes at the idle timeout of an unused session', async () => {
    const { sessions, clock } = open(undefined, { idleTimeout: 0.05 });
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    await watch();
    const end = watch();
    clock.pass(50);
    expect(briefOf(await end)).toBe('changed TERMINATED idle_timeout');
  });

  test('is not delivered twice if it was stored first', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const watch = watching(sessions, id);
    await watch();
    clock.pass(50);
    await okOf(sessions.sweep());
    expect(briefOf(await watch())).toBe('changed TERMINATED time_limit');
    expect(await watch()).toBe('end');
  });

  test('comes with the entries that were appended before it', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 0.2 });
    const watch = watching(sessions, id);
    await watch();
    await okOf(sessions.append(id, [{ role: 'user', content: 'x' }]));
    clock.pass(200);
    expect([briefOf(await watch()), await watch()]).toEqual([
      'changed TERMINATED time_limit x',
      'end',
    ]);
  });

  test('costs many watches of one session two reads', async () => {
    const inner = new MemorySessionStore({ events: true });
    const find = vi.fn(inner.find.bind(inner));
    const { sessions, clock } = open(
      changed(inner, {
        events: inner.events,
        find: Object(async (...args: Parameters<typeof find>) => find(...args)),
      }),
    );
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const watches = Array.from({ length: 200 }, () => watching(sessions, id));
    await Promise.all(watches.map((watch) => watch()));
    find.mockClear();
    const ends = watches.map((watch) => watch());
    clock.pass(50);
    for (const end of await Promise.all(ends))
      expect(briefOf(end)).toBe('changed TERMINATED time_limit');
    expect(find.mock.calls.length).toBeLessThanOrEqual(4);
    for (const [, size] of find.mock.calls) expect(size).toEqual({ historyLimit: 0 });
  });
});

describe('a warning before the end', () => {
  test('is delivered once per deadline, with the time and the reason of the end', async () => {
    const { sessions, clock } = open(undefined, { idleTimeout: 0.5 });
    const id = await startedIn(sessions, { timeLimit: 0.2 });
    const watch = watching(sessions, id, { warnBefore: 0.1 });
    const { cursor } = Object(await watch());
    const warning = watch();
    clock.pass(100);
    expect(await warning).toEqual({
      type: 'session.expiring',
      tenant: 'default',
      sessionId: id,
      at: '2026-01-31T12:00:00.100Z',
      endsAt: '2026-01-31T12:00:00.200Z',
      endReason: 'time_limit',
      cursor,
    });
    await okOf(sessions.pause(id));
    expect(briefOf(await watch())).toBe('changed PAUSED');
    const idle = watch();
    clock.pass(400);
    expect(await idle).toMatchObject({
      endsAt: '2026-01-31T12:00:00.600Z',
      endReason: 'idle_timeout',
    });
    await okOf(sessions.resume(id));
    expect(briefOf(await watch())).toBe('changed ACTIVE');
    expect(await watch()).toMatchObject({
      type: 'session.expiring',
      endsAt: '2026-01-31T12:00:00.600Z',
    });
    const end = watch();
    clock.pass(100);
    expect(briefOf(await end)).toBe('changed TERMINATED time_limit');
  });

  test('is delivered immediately to a watch that begins later, also after a cursor', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions, { timeLimit: 10 });
    const watch = watching(sessions, id, { warnBefore: 60 });
    const { cursor } = Object(await watch());
    expect(await watch()).toMatchObject({ type: 'session.expiring', cursor });
    expect(await watching(sessions, id, { warnBefore: 60, cursor: cursor })()).toMatchObject({
      type: 'session.expiring',
      cursor,
    });
  });

  test('is put off for inactivity by an append, but not by a renewed lease', async () => {
    const { sessions, clock } = open(undefined, { inactivityTimeout: 60 });
    const id = await startedIn(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 600 }));
    const watch = watching(sessions, id, { warnBefore: 20 });
    await watch();
    clock.pass(30_000);
    await okOf(sessions.append(id, [{ role: 'user', content: 'Hello' }]));
    expect(briefOf(await watch())).toBe('changed ACTIVE Hello');
    const warning = watch();
    for (const renew of [true, false]) {
      await expect.poll(() => clock.waiting).toBe(1);
      clock.pass(20_000);
      if (renew) await okOf(sessions.renew(id, { fencingToken, seconds: 600 }));
    }
    expect(await warning).toMatchObject({
      type: 'session.expiring',
      endReason: 'inactive',
      at: '2026-01-31T12:01:10.000Z',
      endsAt: '2026-01-31T12:01:30.000Z',
    });
    clock.pass(20_000);
    expect(briefOf(await watch())).toBe('changed TERMINATED inactive');
  });

  test('is not delivered without a deadline or without warnBefore', async () => {
    const { sessions } = open();
    const endless = (await okOf(sessions.create(ada))).id;
    const short = await startedIn(sessions, { timeLimit: 10 });
    for (const [id, options] of [
      [endless, { warnBefore: 60 }],
      [short, {}],
    ] as const) {
      const watch = watching(sessions, id, options);
      await watch();
      const next = watch();
      await okOf(sessions.terminate(id));
      expect(briefOf(await next)).toBe('changed TERMINATED terminated');
    }
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_401, '30', null])(
    'rejects warnBefore: %s',
    async (warnBefore) => {
      const { sessions } = open();
      const watch = Reflect.apply(sessions.watch, sessions, ['id', { warnBefore }])[
        Symbol.asyncIterator
      ]();
      expect((await watch.next()).value._unsafeUnwrapErr()).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'warnBefore' }],
      });
    },
  );
});
