import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService } from '../../src/index.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';

afterEach(() => vi.useRealTimers());

/** Enough steps to starve a process for a noticeable time. */
const MANY = 10_000;

/** Counts how often `step` was awaited before the first timer of the process ran. */
const stepsUntilTimer = async (step: () => unknown): Promise<number> => {
  let hasFired = false;
  setTimeout(() => {
    hasFired = true;
  }, 0);
  let steps = 0;
  for (; !hasFired && steps < MANY; steps += 1) await step();
  return steps;
};

describe('a loop lets timers run', () => {
  test.each<[string, (sessions: SessionService, id: string) => unknown]>([
    ['creates', (sessions) => sessions.create(ada)],
    ['reads', (sessions, id) => sessions.get(id)],
    ['appends', (sessions, id) => sessions.append(id, [{ role: 'user', content: 'Hello' }])],
    ['lists', (sessions) => sessions.list()],
    ['refusals', (sessions) => sessions.get('nobody')],
    ['sweeps', (sessions) => sessions.sweep()],
  ])('of %s', async (_, step) => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    expect(await stepsUntilTimer(() => step(sessions, id))).toBeLessThan(MANY);
  });

  test('of observed operations', async () => {
    const { sessions } = openSessions({ observers: [{ run: (_, call) => void call() }] });
    const id = await startedIn(sessions);
    expect(await stepsUntilTimer(() => sessions.get(id))).toBeLessThan(MANY);
  });

  test('of events and leases, each of which is the next event', async () => {
    const { sessions } = openSessions({ store: new MemorySessionStore({ events: true }) });
    const id = await startedIn(sessions);
    const changes = sessions.watchAll({ leases: true })[Symbol.asyncIterator]();
    const lease = async () => {
      const { fencingToken } = await okOf(sessions.lease(id, { holder: 'a', seconds: 60 }));
      await okOf(sessions.release(id, { fencingToken }));
    };
    const next = changes.next();
    await lease();
    await next;
    const steps = await stepsUntilTimer(async () => {
      await lease();
      await changes.next();
    });
    await changes.return?.();
    expect(steps).toBeLessThan(MANY);
  });

  test('of events that are read again', async () => {
    const { sessions } = openSessions({ store: new MemorySessionStore({ events: true }) });
    for (let count = 0; count < 1000; count += 1) await createdIn(sessions);
    const changes = sessions.watchAll({ cursor: '0' })[Symbol.asyncIterator]();
    let left = 1000;
    const steps = await stepsUntilTimer(async () => {
      left -= 1;
      if (left > 0) await changes.next();
    });
    await changes.return?.();
    expect(steps).toBeLessThan(1000);
  });
});

test('many concurrent callers yield to the event loop after a bounded number of operations', async () => {
  const { sessions } = openSessions();
  const id = await startedIn(sessions);
  const made = Array.from({ length: 256 }, () => 0);
  const most = { inTurn: 0, ahead: 0 };
  let before = 0;
  let isOver = false;
  const look = () => {
    const sum = made.reduce((total, each) => total + each);
    most.inTurn = Math.max(most.inTurn, sum - before);
    most.ahead = Math.max(most.ahead, Math.max(...made) - Math.min(...made));
    before = sum;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const run = async (_: unknown, at: number) => {
    for (let count = 0; count < 100; count += 1) {
      await sessions.get(id);
      made[at] = (made[at] ?? 0) + 1;
    }
  };
  await Promise.all(made.map(run));
  isOver = true;
  expect(most.inTurn).toBeLessThanOrEqual(made.length);
  expect(most.ahead).toBeLessThanOrEqual(2);
});

test('concurrent calls take effect in order', async () => {
  const { sessions } = openSessions();
  const id = await startedIn(sessions);
  const texts = Array.from({ length: 500 }, (_, at) => `${at}`);
  const appended = texts.map((content) => sessions.append(id, [{ role: 'user', content }]));
  for (const each of appended) await okOf(each);
  const { history } = await okOf(sessions.get(id));
  expect(history.map(({ content }) => content)).toEqual(texts);
});

test('operations settle under fake timers', async () => {
  vi.useFakeTimers();
  const { sessions } = openSessions();
  for (let count = 0; count < 200; count += 1) await createdIn(sessions);
  expect((await okOf(sessions.list())).total).toBe(200);
});
