import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionChange, SessionService, WatchOptions } from '../../src/index.js';
import type { EventLog } from '../../src/store/session-store.js';
import { passUntil } from '../support/manual-clock.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const open = (length?: number) =>
  openSessions({ store: new MemorySessionStore({ events: length === undefined ? true : { length } }) });

/** An iterator that is ended with the test. */
const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) => {
  const watch = sessions.watch(id, options)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  return {
    next: async (): Promise<SessionChange | 'end'> => {
      const { value, done } = await watch.next();
      return done === true ? 'end' : value._unsafeUnwrap();
    },
    error: async () => (await watch.next()).value._unsafeUnwrapErr(),
    stop: () => watch.return?.(),
  };
};

const summary = (change: SessionChange | 'end') => {
  if (change === 'end') return change;
  if (change.type === 'session.snapshot') return [change.type, change.session.status, change.sequence];
  return [change.type, change.type === 'session.expiring' ? change.endReason : change.sequence];
};

const said = (content: string) => [{ role: 'user', content }];

describe('who watches a session', () => {
  test('sees what it is, then every change in order, and the end', async () => {
    const { sessions } = open();
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    expect(summary(await watch.next())).toEqual(['session.snapshot', 'IDLE', 1]);
    await okOf(sessions.start(id));
    expect(summary(await watch.next())).toEqual(['session.started', 2]);
    const { position } = await okOf(sessions.append(id, said('hello')));
    expect(await watch.next()).toMatchObject({
      type: 'session.appended',
      tenant: 'default',
      sessionId: id,
      sequence: 3,
      historyPosition: position,
      at: '2026-01-31T12:00:00.000Z',
    });
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    await okOf(sessions.terminate(id));
    expect(summary(await watch.next())).toEqual(['session.paused', 4]);
    expect(summary(await watch.next())).toEqual(['session.resumed', 5]);
    expect(await watch.next()).toMatchObject({ type: 'session.terminated', sequence: 6, endReason: 'terminated' });
    expect(await watch.next()).toBe('end');
  });

  test('is done at once with a session that has ended', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.fail(id));
    const watch = watching(sessions, id);
    expect(await watch.next()).toMatchObject({ type: 'session.snapshot', session: { endReason: 'failed' } });
    expect(await watch.next()).toBe('end');
  });

  test('sees a deletion, and nothing of the session that is created under its key afterwards', async () => {
    const { sessions } = open();
    const input = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(input));
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.delete(id));
    await okOf(sessions.create(input));
    expect(summary(await watch.next())).toEqual(['session.deleted', 2]);
    expect(await watch.next()).toBe('end');
  });

  test('continues after a position, with the changes since then and without a snapshot', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const first = watching(sessions, id);
    const snapshot = await first.next();
    await okOf(sessions.pause(id));
    const paused = await first.next();
    await first.stop();
    if (snapshot === 'end' || paused === 'end') throw new Error('it has ended');
    await okOf(sessions.resume(id));
    await okOf(sessions.append(id, said('while away')));
    const again = watching(sessions, id, { from: paused.position });
    expect(summary(await again.next())).toEqual(['session.resumed', 4]);
    expect(summary(await again.next())).toEqual(['session.appended', 5]);
    await okOf(sessions.terminate(id));
    expect(summary(await again.next())).toEqual(['session.terminated', 6]);
    expect(await again.next()).toBe('end');
    const fromSnapshot = watching(sessions, id, { from: snapshot.position });
    expect(summary(await fromSnapshot.next())).toEqual(['session.paused', 3]);
  });

  test('ends at once if it continues after the end', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.terminate(id));
    const end = await watch.next();
    if (end === 'end') throw new Error('the end was not told');
    const late = watching(sessions, id, { from: end.position });
    expect(await late.next()).toMatchObject({ type: 'session.snapshot', session: { status: 'TERMINATED' } });
    expect(await late.next()).toBe('end');
  });

  test('continues when the store is available again, even if it has broken its contract', async () => {
    const inner = new MemorySessionStore({ events: true });
    const { events } = inner;
    if (events === undefined) throw new Error('the store has no events');
    let failures = 3;
    const failing: EventLog = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: async (stream, position, limit) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the store is out of order');
        return events.read(stream, position, limit);
      },
      listen: () => {
        throw new Error('nor does it listen');
      },
    };
    const { sessions, clock } = openSessions({ store: { ...changed(inner, {}), events: failing } });
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.start(id));
    expect(summary(await passUntil(clock, watch.next()))).toEqual(['session.started', 2]);
  });

  test('gets another snapshot where what it came back for is not kept any more', async () => {
    const { sessions } = open(4);
    const id = await startedIn(sessions);
    const first = watching(sessions, id);
    const { position } = Object(await first.next());
    await first.stop();
    for (let turn = 0; turn < 10; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
    const again = watching(sessions, id, { from: position });
    expect(summary(await again.next())).toEqual(['session.snapshot', 'ACTIVE', 12]);
    await okOf(sessions.pause(id));
    expect(summary(await again.next())).toEqual(['session.paused', 13]);
  });

  test('who is slow gets every event, at its own speed', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    for (let turn = 0; turn < 1000; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
    for (let turn = 0; turn < 1000; turn += 1) {
      expect(summary(await watch.next())).toEqual(['session.appended', turn + 3]);
    }
    await okOf(sessions.pause(id));
    expect(summary(await watch.next())).toEqual(['session.paused', 1003]);
  });

  test('delivers an end by the clock without a sweeper', async () => {
    const { sessions, clock } = open();
    const id = await createdIn(sessions, { timeLimit: 0.05 });
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.start(id));
    expect(summary(await watch.next())).toEqual(['session.started', 2]);
    const end = watch.next();
    clock.pass(50);
    expect(await end).toMatchObject({ type: 'session.terminated', sequence: 3, endReason: 'time_limit' });
    expect(await watch.next()).toBe('end');
  });

  test('returns an error for a missing session, a store without events, and invalid options', async () => {
    const { sessions } = open();
    expect(await watching(sessions, 'nobody').error()).toMatchObject({ type: 'not_found', id: 'nobody' });
    const silent = openSessions().sessions;
    expect(await watching(silent, 'any').error()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('`events`'),
    });
    const odd = Reflect.apply(sessions.watch, sessions, ['id', { from: 'x', signal: 5 }])[Symbol.asyncIterator]();
    const { value } = await odd.next();
    expect(value._unsafeUnwrapErr()).toMatchObject({ issues: [{ path: 'from' }, { path: 'signal' }] });
    expect(await odd.next()).toEqual({ done: true, value: undefined });
  });

  test('ends at once when it is aborted, before and while it waits', async () => {
    const { sessions } = open();
    const id = await createdIn(sessions);
    const controller = new AbortController();
    const watch = watching(sessions, id, { signal: controller.signal });
    await watch.next();
    const waiting = watch.next();
    controller.abort();
    expect(await waiting).toBe('end');
    const late = watching(sessions, id, { signal: controller.signal });
    expect(await late.next()).toBe('end');
  });
});

describe('who watches a tenant', () => {
  test('sees the changes of all its sessions, and of no other tenant', async () => {
    const { sessions } = open();
    const watch = sessions.forTenant('acme').watchAll()[Symbol.asyncIterator]();
    const first = watch.next();
    const theirs = await createdIn(sessions.forTenant('globex'));
    const ours = await createdIn(sessions.forTenant('acme'));
    await okOf(sessions.forTenant('globex').start(theirs));
    await okOf(sessions.forTenant('acme').start(ours));
    const seen = [(await first).value, (await watch.next()).value].map((item) => item._unsafeUnwrap());
    expect(seen).toMatchObject([
      { type: 'session.created', sessionId: ours, tenant: 'acme' },
      { type: 'session.started', sessionId: ours, sequence: 2 },
    ]);
    await watch.return?.();
  });

  test.each([
    ['that the clock tells apart', false],
    ['of one millisecond', true],
  ])('continues after a position among events %s, and reports lost events', async (_, isOneMillisecond) => {
    if (isOneMillisecond) {
      vi.useFakeTimers({ toFake: ['Date'] });
      onTestFinished(() => {
        vi.useRealTimers();
      });
    }
    const { sessions } = open(4);
    let onOpen = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    const watch = sessions.watchAll({ onOpen })[Symbol.asyncIterator]();
    const first = watch.next();
    await opened;
    const id = await startedIn(sessions);
    const { position } = (await first).value._unsafeUnwrap();
    await watch.return?.();
    const again = sessions.watchAll({ from: position })[Symbol.asyncIterator]();
    expect((await again.next()).value._unsafeUnwrap()).toMatchObject({ type: 'session.started' });
    await again.return?.();
    for (let turn = 0; turn < 9; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
    const late = sessions.watchAll({ from: position })[Symbol.asyncIterator]();
    expect((await late.next()).value._unsafeUnwrap()).toMatchObject({ type: 'events_lost' });
    expect((await late.next()).value._unsafeUnwrap()).toMatchObject({ type: 'session.appended', sequence: 8 });
    await late.return?.();
  });
});
