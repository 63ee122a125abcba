import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService, WatchOptions } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { EventLog, SessionStore } from '../../src/store/session-store.js';
import { NOON } from '../support/manual-clock.js';
import { openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching as followed } from '../support/watching.js';

const open = (
  store: SessionStore = new MemorySessionStore({ events: true }),
  options: object = {},
) => openSessions({ ...options, store });

const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) =>
  followed(sessions, id, options).next;

describe('the end of an overdue session during an outage', () => {
  test.for([
    [
      'answers that it is unavailable',
      () => err(storeUnavailable('there is an outage', 'not_applied')),
    ],
    ['rejects', () => Promise.reject(new Error('there is an outage'))],
    [
      'throws',
      () => {
        throw new Error('there is an outage');
      },
    ],
  ] as const)(
    'is delivered once the store, which %s, is back, without real time',
    async ([, fail]) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const inner = new MemorySessionStore({ events: true });
      let isAway = false;
      const find = vi.fn<SessionStore['find']>((...args) =>
        isAway ? fail() : inner.find(...args),
      );
      const { sessions, clock } = open(
        changed(inner, { events: inner.events, find: Object(find) }),
      );
      const id = await startedIn(sessions, { timeLimit: 60 });
      const watch = watching(sessions, id, { warnBefore: 10 });
      await watch();
      const end = watch();
      isAway = true;
      for (let seconds = 0; seconds < 90; seconds += 1) {
        clock.pass(1000);
        await new Promise((resolve) => void setImmediate(resolve));
      }
      expect(await end).toMatchObject({
        type: 'session.expiring',
        endsAt: '2026-01-31T12:01:00.000Z',
      });
      const last = watch();
      find.mockClear();
      for (let seconds = 0; seconds < 10; seconds += 1) {
        clock.pass(1000);
        await new Promise((resolve) => void setImmediate(resolve));
      }
      expect(find.mock.calls.length).toBeGreaterThan(5);
      isAway = false;
      clock.pass(1000);
      const told = await last;
      expect(briefOf(told)).toBe('changed TERMINATED time_limit');
      expect(told).toMatchObject({ session: { endedAt: '2026-01-31T12:01:00.000Z' } });
      expect(await watch()).toBe('end');
    },
  );

  test('is delivered soon if the clock jumps, as after a suspension', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let now = NOON;
    const { sessions } = open(undefined, { clock: { now: () => now } });
    const id = await startedIn(sessions, { timeLimit: 36_000 });
    const watch = watching(sessions, id);
    await watch();
    const end = watch();
    await new Promise((resolve) => void setImmediate(resolve));
    now += 36_000_000;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await end).toMatchObject({
      session: { status: 'TERMINATED', endedAt: '2026-01-31T22:00:00.000Z' },
    });
  });

  test('is not awaited over a closed client', async () => {
    const inner = new MemorySessionStore({ events: true });
    const { events } = inner;
    if (events === undefined) throw new Error('the store has no events');
    let isOpen = true;
    const find: SessionStore['find'] = (...args) =>
      isOpen ? inner.find(...args) : err(storeUnavailable('the client is closed', 'not_applied'));
    const log: EventLog = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: (...args) => events.read(...args),
      isClosed: () => !isOpen,
    };
    const { sessions, clock } = open(changed(inner, { events: log, find }));
    const id = await startedIn(sessions, { timeLimit: 60 });
    const watch = sessions.watch(id)[Symbol.asyncIterator]();
    await watch.next();
    const end = watch.next();
    isOpen = false;
    clock.pass(60_000);
    expect((await end).value?._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable' });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});
