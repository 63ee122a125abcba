import { getEventListeners } from 'node:events';
import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { LastChanges } from '../../src/events/tenant-changes.js';
import { SessionService, type TenantChange, type WatchAllOptions } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { eventOf } from '../../src/session/event-detail.js';
import type { EventLog, SessionStore } from '../../src/store/session-store.js';
import { pass } from '../support/manual-clock.js';
import { createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching } from '../support/watching.js';

/** Sessions whose log of events is changed, and those of another process, whose log is not. */
const openLog = (
  changes: (log: EventLog, others: SessionService) => Partial<EventLog> = () => ({}),
) => {
  const inner = new MemorySessionStore({ events: true });
  const { events } = inner;
  if (events === undefined) throw new Error('the store has no events');
  const others = new SessionService({ store: inner });
  const log: EventLog = {
    streamOf: () => events.streamOf(),
    latest: () => events.latest(),
    now: () => events.now(),
    read: (...args) => events.read(...args),
    listen: (listener) => events.listen(listener),
    ...changes(events, others),
  };
  return { others, ...openSessions({ store: changed(inner, { events: log }) }) };
};

/** The items that a tenant watch has yielded so far. */
const told = (sessions: SessionService, options: WatchAllOptions = {}) => {
  const watch = sessions.watchAll(options)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  const changes: TenantChange[] = [];
  const read = async () => {
    for (let item = await watch.next(); !item.done; item = await watch.next()) {
      changes.push(item.value._unsafeUnwrap());
    }
  };
  void read();
  return changes;
};

const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

test('a change is delivered a second after a failed read, not only at the next poll', async () => {
  const inner = new MemorySessionStore({ events: true });
  let failures = 0;
  const find: SessionStore['find'] = (...args) => {
    failures -= 1;
    return failures < 0 ? inner.find(...args) : err(storeUnavailable('it is away', 'not_applied'));
  };
  const { sessions, clock } = openSessions({
    store: changed(inner, { events: inner.events, find }),
  });
  const id = await startedIn(sessions);
  const watch = watching(sessions, id);
  await watch.next();
  let item = '';
  void watch.next().then((change) => {
    item = briefOf(change);
  });
  await settled();
  failures = 1;
  await okOf(sessions.pause(id));
  await pass(clock, 1000);
  expect(item).toBe('changed PAUSED');
});

test.each([
  ['a tenant watch', true],
  ['all watches', false],
])(
  'a change during the read of the log for %s is delivered without another change',
  async (_name, isHeldOfTenant) => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { sessions, others } = openLog((log) => ({
      read: async (...args) => {
        const page = await log.read(...args);
        const isOfTenant = args[3] !== undefined;
        if (isOfTenant === isHeldOfTenant) await held;
        return page;
      },
    }));
    const changes = told(sessions);
    await settled();
    const id = await createdIn(others);
    await settled();
    expect(changes).toEqual([]);
    goOn();
    await settled();
    expect(changes).toMatchObject([{ type: 'session.created', sessionId: id }]);
  },
);

test('a change while a tenant watch reads the time of the log is delivered', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { sessions } = openLog((log, others) => ({
    now: async (stream) => {
      await createdIn(others);
      vi.advanceTimersByTime(500);
      return log.now(stream);
    },
  }));
  const changes = told(sessions);
  await settled();
  expect(changes).toMatchObject([{ type: 'session.created' }]);
});

test('a watch that is left shortly before a deadline leaves no timer', async () => {
  const { sessions, clock } = openLog();
  const watch = watching(sessions, await startedIn(sessions, { timeLimit: 1 }));
  await watch.next();
  void watch.next();
  await settled();
  expect(clock.waiting).toBe(1);
  await watch.stop();
  expect(clock.waiting).toBe(0);
});

test('a warning is delivered at its millisecond, whenever the watch began', async () => {
  const { sessions, clock } = openLog();
  const id = await startedIn(sessions, { timeLimit: 60 });
  clock.pass(300);
  const watch = watching(sessions, id, { warnBefore: 10 });
  await watch.next();
  let item = '';
  void watch.next().then((change) => {
    item = briefOf(change);
  });
  for (let ms = 300; ms < 49_900; ms += 100) await pass(clock, 100);
  expect(item).toBe('');
  await pass(clock, 100);
  expect(item).toBe('expiring time_limit');
});

test.each(['watch', 'watchAll'] as const)(
  'a signal that outlives a %s holds no reference to it',
  async (method) => {
    const { sessions } = openLog();
    const { signal } = new AbortController();
    const id = await startedIn(sessions);
    const watch =
      method === 'watch'
        ? sessions.watch(id, { signal })
        : sessions.watchAll({ signal, cursor: '0' });
    const items = watch[Symbol.asyncIterator]();
    await items.next();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await items.return?.();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  },
);

test('an append that is delivered completely has no hasMore, even if others follow', async () => {
  const { sessions } = openLog();
  const id = await startedIn(sessions);
  const entries = Array.from({ length: 1000 }, (_, at) => ({
    role: 'user' as const,
    content: `${at}`,
  }));
  await okOf(sessions.append(id, entries));
  await okOf(sessions.append(id, entries));
  const changes = told(sessions, { cursor: '0', entries: true });
  await settled();
  const appended = changes.filter(({ type }) => type === 'session.appended');
  expect(appended).toHaveLength(2);
  for (const each of appended) expect(each).not.toHaveProperty('hasMore');
});

test('a caller that requests several items concurrently receives each once, in order', async () => {
  const { sessions } = openLog();
  const id = await startedIn(sessions);
  const watch = watching(sessions, id);
  const items = [watch.next(), watch.next(), watch.next()];
  expect(briefOf((await items[0]) ?? 'end')).toBe('snapshot ACTIVE');
  await okOf(sessions.pause(id));
  expect(briefOf((await items[1]) ?? 'end')).toBe('changed PAUSED');
  await okOf(sessions.terminate(id));
  expect(briefOf((await items[2]) ?? 'end')).toBe('changed TERMINATED terminated');
});

test('a watch of very many sessions still detects a repeated event of the latest session', () => {
  const changes = new LastChanges();
  const change = (id: string, sequence: number, ms: number) =>
    changes.add(
      eventOf(
        { tenant: '', id },
        { incarnation: id, sequence },
        { type: 'paused', at: ms },
        `${ms}-1`,
      ),
    );
  change('busy', 1, 1);
  for (let each = 2; each <= 10_000; each += 1) change(`s${each}`, 1, each);
  expect(change('busy', 2, 10_001)).toBe('next');
  change('one more', 1, 10_002);
  expect(change('busy', 2, 10_001)).toBe('seen');
});

describe('a session event after events_lost', () => {
  const changed = (changes: LastChanges, sequence: number, position: string) =>
    changes.add(
      eventOf(
        { tenant: '', id: 's1' },
        { incarnation: 'one', sequence },
        { type: 'paused', at: 1 },
        position,
      ),
    );

  test('is not repeated if it was delivered before', () => {
    const changes = new LastChanges();
    changed(changes, 1, '1-1');
    changed(changes, 2, '2-1');
    changes.passGap();
    expect(changed(changes, 1, '1-1')).toBe('seen');
    expect(changed(changes, 2, '2-1')).toBe('seen');
  });

  test('is delivered if it reuses a sequence at a later position, since the database was restored', () => {
    const changes = new LastChanges();
    changed(changes, 1, '1-1');
    changed(changes, 2, '2-1');
    changes.passGap();
    expect(changed(changes, 2, '9-1')).toBe('next');
  });
});
