import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionChange, SessionService, WatchOptions } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { passUntil } from '../support/manual-clock.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const open = (store: SessionStore = new MemorySessionStore({ events: true }), options: object = {}) =>
  openSessions({ ...options, store });

const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) => {
  const watch = sessions.watch(id, options)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  return async (): Promise<SessionChange | 'end'> => {
    const { value, done } = await watch.next();
    return done === true ? 'end' : value._unsafeUnwrap();
  };
};

const summary = (change: SessionChange | 'end') => (change === 'end' ? change : change.type.replace('session.', ''));

describe('an end by the clock', () => {
  test('is delivered at its deadline, with its reason, once, whichever process stores it and when', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const [early, other] = [watching(sessions, id), watching(sessions, id)];
    await Promise.all([early(), other()]);
    const ends = [early(), other()];
    clock.pass(50);
    const [end, same] = await Promise.all(ends);
    expect(end).toMatchObject({
      type: 'session.terminated',
      endReason: 'time_limit',
      at: '2026-01-31T12:00:00.050Z',
      sequence: 3,
      tenant: 'default',
      sessionId: id,
    });
    const { position: _, ...told } = Object(end);
    expect(same).toMatchObject(told);
    expect([await early(), await other()]).toEqual(['end', 'end']);
    // The event that is written later is the same one.
    const late = watching(sessions, id, { from: '0' });
    clock.pass(60_000);
    await okOf(sessions.sweep());
    expect([await late(), await late(), await late()].map(summary)).toEqual(['created', 'started', 'terminated']);
    const all = sessions.watchAll({ from: '0' })[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await all.return?.();
    });
    const written = [await all.next(), await all.next(), await all.next()].at(-1)?.value?._unsafeUnwrap();
    expect(written).toMatchObject(told);
  });

  test('comes by the clock of the service, however far that is moved, and so does the warning before it', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 36_000 });
    const watch = watching(sessions, id, { warnBefore: 60 });
    await watch();
    const warning = watch();
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    clock.pass(35_940_000);
    expect(await warning).toMatchObject({ type: 'session.expiring', at: '2026-01-31T21:59:00.000Z' });
    const end = watch();
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    clock.pass(59_999);
    expect(clock.waiting).toBe(1);
    clock.pass(1);
    expect(await end).toMatchObject({ type: 'session.terminated', at: '2026-01-31T22:00:00.000Z' });
  });

  test('that falls into an outage of the store is delivered after it', async () => {
    const inner = new MemorySessionStore({ events: true });
    let failures = 0;
    const find: SessionStore['find'] = (...args) => {
      failures -= 1;
      return failures < 0 ? inner.find(...args) : err(storeUnavailable('there is an outage', 'not_applied'));
    };
    const { sessions, clock } = open(changed(inner, { events: inner.events, find }));
    const id = await startedIn(sessions, { timeLimit: 60 });
    const watch = watching(sessions, id);
    await watch();
    const end = watch();
    failures = 2;
    clock.pass(60_000);
    expect(await passUntil(clock, end)).toMatchObject({ type: 'session.terminated', endReason: 'time_limit' });
    expect(failures).toBeLessThan(0);
  });

  test('of an idle session is its idle timeout', async () => {
    const { sessions, clock } = open(undefined, { idleTimeout: 0.05 });
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    await watch();
    const end = watch();
    clock.pass(50);
    expect(await end).toMatchObject({ endReason: 'idle_timeout', sequence: 2 });
  });

  test('that was stored first comes from its event, and is not delivered twice', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const watch = watching(sessions, id);
    await watch();
    clock.pass(50);
    await okOf(sessions.sweep());
    expect(await watch()).toMatchObject({ type: 'session.terminated', sequence: 3 });
    expect(await watch()).toBe('end');
  });

  test('comes after the events before it, and as a snapshot where those are missing', async () => {
    const store = new MemorySessionStore({ events: true });
    const { sessions, clock } = open(store);
    const id = await startedIn(sessions, { timeLimit: 0.2 });
    const watch = watching(sessions, id);
    await watch();
    await okOf(sessions.append(id, [{ role: 'user', content: 'x' }]));
    clock.pass(200);
    expect([summary(await watch()), summary(await watch()), summary(await watch())]).toEqual([
      'appended',
      'terminated',
      'end',
    ]);
    const { events } = store;
    if (events === undefined) throw new Error('the store has no events');
    const losing = changed(store, {
      events: {
        streamOf: () => '',
        latest: () => events.latest(),
        now: () => events.now(),
        read: (stream, position) =>
          events.read(stream, position, 500).map((page) => ({ ...page, events: [], position: page.position })),
      },
    });
    const lost = openSessions({ store: losing, ids: { next: () => 'lost' } });
    const lostId = await startedIn(lost.sessions, { timeLimit: 0.2 });
    const missing = watching(lost.sessions, lostId);
    await missing();
    await okOf(lost.sessions.append(lostId, [{ role: 'user', content: 'x' }]));
    lost.clock.pass(200);
    expect(await missing()).toMatchObject({ type: 'session.snapshot', sequence: 3, session: { status: 'TERMINATED' } });
    expect(await missing()).toBe('end');
  });

  test('costs a crowd of watchers two reads', async () => {
    const inner = new MemorySessionStore({ events: true });
    const find = vi.fn(inner.find.bind(inner));
    const { sessions, clock } = open(
      changed(inner, { events: inner.events, find: Object(async (...args: Parameters<typeof find>) => find(...args)) }),
    );
    const id = await startedIn(sessions, { timeLimit: 0.05 });
    const watches = Array.from({ length: 200 }, () => watching(sessions, id));
    await Promise.all(watches.map((watch) => watch()));
    find.mockClear();
    const ends = watches.map((watch) => watch());
    clock.pass(50);
    expect((await Promise.all(ends)).map(summary)).toEqual(watches.map(() => 'terminated'));
    expect(find.mock.calls.length).toBeLessThanOrEqual(4);
    for (const [, size] of find.mock.calls) expect(size).toEqual({ historyLimit: 0 });
  });
});

describe('a warning before the end', () => {
  test('is given once for each deadline, with the time and the reason of the end', async () => {
    const { sessions, clock } = open(undefined, { idleTimeout: 0.5 });
    const id = await startedIn(sessions, { timeLimit: 0.2 });
    const watch = watching(sessions, id, { warnBefore: 0.1 });
    const { position } = Object(await watch());
    const warning = watch();
    clock.pass(100);
    expect(await warning).toEqual({
      type: 'session.expiring',
      tenant: 'default',
      sessionId: id,
      at: '2026-01-31T12:00:00.100Z',
      endsAt: '2026-01-31T12:00:00.200Z',
      endReason: 'time_limit',
      position,
    });
    await okOf(sessions.pause(id));
    expect(await watch()).toMatchObject({ type: 'session.paused' });
    const idle = watch();
    clock.pass(400);
    expect(await idle).toMatchObject({ endsAt: '2026-01-31T12:00:00.600Z', endReason: 'idle_timeout' });
    await okOf(sessions.resume(id));
    expect(await watch()).toMatchObject({ type: 'session.resumed' });
    expect(await watch()).toMatchObject({ type: 'session.expiring', endsAt: '2026-01-31T12:00:00.600Z' });
    const end = watch();
    clock.pass(100);
    expect(await end).toMatchObject({ type: 'session.terminated', endReason: 'time_limit' });
  });

  test('is given at once to who begins later, also after a position', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions, { timeLimit: 10 });
    const watch = watching(sessions, id, { warnBefore: 60 });
    const { position } = Object(await watch());
    expect(await watch()).toMatchObject({ type: 'session.expiring', position });
    expect(await watching(sessions, id, { warnBefore: 60, from: position })()).toMatchObject({
      type: 'session.expiring',
      position,
    });
  });

  test('of inactivity comes only if nobody has used the session since, by an append or a renewed lease', async () => {
    const { sessions, clock } = open(undefined, { inactivityTimeout: 60 });
    const id = await startedIn(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 600 }));
    const watch = watching(sessions, id, { warnBefore: 20 });
    await watch();
    clock.pass(30_000);
    await okOf(sessions.append(id, [{ role: 'user', content: 'Hello' }]));
    expect(summary(await watch())).toBe('appended');
    const warning = watch();
    for (const renew of [true, true, false, false]) {
      await vi.waitFor(() => expect(clock.waiting).toBe(1));
      clock.pass(20_000);
      if (renew) await okOf(sessions.renew(id, { fencingToken, seconds: 600 }));
    }
    expect(await warning).toMatchObject({
      type: 'session.expiring',
      endReason: 'inactive',
      at: '2026-01-31T12:01:50.000Z',
      endsAt: '2026-01-31T12:02:10.000Z',
    });
    clock.pass(20_000);
    expect(await watch()).toMatchObject({ type: 'session.terminated', endReason: 'inactive' });
  });

  test('is not delivered without a deadline, nor without warnBefore', async () => {
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
      expect(await next).toMatchObject({ type: 'session.terminated' });
    }
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_401, '30', null])(
    'of %s seconds is refused',
    async (warnBefore) => {
      const { sessions } = open();
      const watch = Reflect.apply(sessions.watch, sessions, ['id', { warnBefore }])[Symbol.asyncIterator]();
      expect((await watch.next()).value._unsafeUnwrapErr()).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'warnBefore' }],
      });
    },
  );
});
