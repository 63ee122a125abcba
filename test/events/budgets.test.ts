import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Counters, SessionService, WatchOptions } from '../../src/index.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';
import { briefOf, watching } from '../support/watching.js';

const open = async (budget: Counters, options: WatchOptions = {}, input: object = {}) => {
  const store = new MemorySessionStore({ events: true, reportEnds: true });
  const { sessions, clock } = openSessions({ store });
  const { id } = await okOf(sessions.create({ ...ada, start: true, budget, ...input }));
  const watch = watching(sessions, id, options);
  await watch.next();
  return { sessions, clock, store, id, ...watch };
};

/** The events of a session since its beginning. */
const eventsOf = async (sessions: SessionService, count: number) => {
  const all = sessions.watchAll({ cursor: '0' })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await all.return?.();
  });
  const events: unknown[] = [];
  while (events.length < count) events.push((await all.next()).value?._unsafeUnwrap());
  return events;
};

describe('a watch of a session with a budget', () => {
  test('warns when 90% of a budget is used, without a time', async () => {
    const { sessions, id, next } = await open({ tokens: 100 });
    await okOf(sessions.spend(id, { tokens: 89 }));
    expect(await next()).toMatchObject({ session: { usage: { tokens: 89 } } });
    await okOf(sessions.spend(id, { tokens: 1 }));
    const changed = await next();
    expect(changed).toMatchObject({ type: 'session.changed', session: { usage: { tokens: 90 } } });
    expect(await next()).toEqual({
      type: 'session.expiring',
      tenant: 'default',
      sessionId: id,
      at: '2026-01-31T12:00:00.000Z',
      endReason: 'budget',
      counter: 'tokens',
      cursor: Object(changed).cursor,
    });
  });

  test('warns of each budget once, and again after it was extended', async () => {
    const { sessions, id, next } = await open({ calls: 4, tokens: 100 }, { warnAt: 0.5 });
    const spend = async (usage: Counters) => {
      await okOf(sessions.spend(id, usage));
      return briefOf(await next());
    };
    const counterOf = async () => Object(await next()).counter;
    await spend({ tokens: 50 });
    expect(await counterOf()).toBe('tokens');
    await spend({ tokens: 10 });
    await spend({ calls: 2 });
    expect(await counterOf()).toBe('calls');
    await okOf(sessions.extend(id, { budget: { tokens: 200 } }));
    expect(briefOf(await next())).toBe('changed ACTIVE');
    await spend({ tokens: 39 });
    await spend({ tokens: 1 });
    expect(await counterOf()).toBe('tokens');
    await spend({ calls: 1 });
    expect(await spend({ calls: 1 })).toBe('changed TERMINATED budget');
    expect(await next()).toBe('end');
  });

  test('warns of two budgets in turn if one write nearly exhausts both', async () => {
    const { sessions, id, next } = await open({ calls: 10, tokens: 100 });
    await okOf(sessions.spend(id, { calls: 9, tokens: 95 }));
    await next();
    expect([await next(), await next()]).toMatchObject([
      { counter: 'calls' },
      { counter: 'tokens' },
    ]);
  });

  test('warns at its beginning of a budget that is nearly exhausted', async () => {
    const { sessions, id } = await open({ tokens: 100 });
    await okOf(sessions.spend(id, { tokens: 95 }));
    const { next } = watching(sessions, id);
    expect([briefOf(await next()), briefOf(await next())]).toEqual([
      'snapshot ACTIVE',
      'expiring budget',
    ]);
  });

  test('never warns with a share of 1, or of a counter without a budget', async () => {
    const { sessions, id, next } = await open({ tokens: 100 }, { warnAt: 1 });
    await okOf(sessions.spend(id, { tokens: 99 }));
    await next();
    await okOf(sessions.terminate(id));
    expect(briefOf(await next())).toBe('changed TERMINATED terminated');

    const store = new MemorySessionStore({ events: true });
    const { sessions: counting } = openSessions({ store, limits: { counters: ['calls'] } });
    const { id: other } = await okOf(counting.create({ ...ada, start: true }));
    const watch = watching(counting, other);
    await watch.next();
    await okOf(counting.spend(other, { calls: 1_000_000 }));
    expect(briefOf(await watch.next())).toBe('changed ACTIVE');
    await okOf(counting.terminate(other));
    expect(briefOf(await watch.next())).toBe('changed TERMINATED terminated');
  });

  test.for([0, -0.5, 1.01, Number.NaN])('rejects the share %d', async (warnAt) => {
    const { sessions, id } = await open({ tokens: 100 });
    expect(await watching(sessions, id, { warnAt }).error()).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'warnAt' }],
    });
  });

  test('ends with the write that reaches the budget, without a sweep and concurrently with others', async () => {
    const { sessions, clock, id, next } = await open({ tokens: 10 });
    clock.pass(2500);
    const end = next();
    const entries = [{ role: 'assistant', content: 'Yes.' }];
    await okOf(sessions.append(id, entries, { usage: { tokens: 12 } }));
    expect(await end).toMatchObject({
      type: 'session.changed',
      entries,
      session: {
        status: 'TERMINATED',
        endReason: 'budget',
        endedAt: '2026-01-31T12:00:02.500Z',
        durationMs: 2500,
        usage: { tokens: 12 },
      },
    });
    expect(await next()).toBe('end');
  });

  test.for(['IDLE', 'PAUSED'])('ends immediately, even if the session is %s', async (status) => {
    const { sessions, id, next } = await open({ tokens: 10 }, {}, { start: status === 'PAUSED' });
    if (status === 'PAUSED') {
      await okOf(sessions.pause(id));
      await next();
    }
    await okOf(sessions.spend(id, { tokens: 10 }));
    expect(briefOf(await next())).toBe('changed TERMINATED budget');
  });
});

describe('events of a budget', () => {
  test('report each spend, and the end with its sums after a sweep', async () => {
    const { sessions, id } = await open({ tokens: 10 });
    const once = { operationId: 'call-1' };
    await okOf(sessions.spend(id, { tokens: 3 }, once));
    await okOf(sessions.spend(id, { tokens: 3 }, once));
    await okOf(sessions.spend(id, { tokens: 8 }));
    expect(await errorOf(sessions.spend(id, { tokens: 1 }))).toMatchObject({
      type: 'invalid_transition',
    });
    const ends: unknown[] = [];
    await okOf(sessions.sweep(10, { onEnded: (end) => ends.push(end) }));
    expect(ends).toMatchObject([{ id, endReason: 'budget', usage: { tokens: 11 } }]);
    expect(await eventsOf(sessions, 5)).toMatchObject([
      { type: 'session.created' },
      { type: 'session.started' },
      { type: 'session.spent', sessionId: id },
      { type: 'session.spent', sessionId: id },
      { type: 'session.terminated', endReason: 'budget', usage: { tokens: 11 } },
    ]);
  });

  test('report the sums of a session with counters that ends for another reason', async () => {
    const { sessions, id } = await open({ tokens: 10 });
    await okOf(sessions.spend(id, { tokens: 4 }));
    await okOf(sessions.terminate(id));
    const { id: plain } = await okOf(sessions.create(ada));
    await okOf(sessions.fail(plain));
    const ends: unknown[] = [];
    await okOf(sessions.sweep(10, { onEnded: (end) => ends.push(end) }));
    expect(ends).toMatchObject([
      { id, endReason: 'terminated', usage: { tokens: 4 } },
      { id: plain },
    ]);
    expect(ends[1]).not.toHaveProperty('usage');
    const events = await eventsOf(sessions, 6);
    expect(events[3]).toMatchObject({ type: 'session.terminated', usage: { tokens: 4 } });
    expect(events[5]).toMatchObject({ type: 'session.terminated', endReason: 'failed' });
    expect(events[5]).not.toHaveProperty('usage');
  });
});
