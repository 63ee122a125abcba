import { err, ok } from 'neverthrow';
import { afterEach, describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { createWorker, type Worker } from '../../src/service/worker.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { revoked, throwing } from '../support/hostile-values.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** A value that only JavaScript can pass. */
const untyped = (value: unknown): never => value as never;

const throws = (): never => {
  throw new Error('out of order');
};

const rejections: unknown[] = [];
const note = (reason: unknown) => rejections.push(reason);
const started: Worker[] = [];
process.on('unhandledRejection', note);

afterEach(async () => {
  await Promise.all(started.splice(0).map((worker) => worker.stop()));
  expect(rejections.splice(0)).toEqual([]);
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Moves the clock in small steps, so that timers and promises run in between. */
const pass = async (clock: ManualClock, seconds: number) => {
  for (let quarter = 0; quarter < 4 * seconds; quarter += 1) {
    clock.pass(250);
    for (let turn = 0; turn < 5; turn += 1) await settled();
  }
};

const working = (sessions: SessionService, options: unknown) => {
  const worker = createWorker(sessions, untyped(options));
  started.push(worker);
  worker.start();
  return worker;
};

const open = (store: SessionStore = new MemorySessionStore({ events: true })) => {
  const bench = openSessions({ store });
  const waiting = async () =>
    (await okOf(bench.sessions.create({ ...ada, start: true, wake: true }))).id;
  return { ...bench, waiting };
};

/** Failures of `run` by name. */
const failures: Readonly<Record<string, () => unknown>> = {
  throws,
  'throws a revoked proxy': () => {
    throw revoked();
  },
  'rejects with nothing': () => Promise.reject(),
  'rejects with what throws': () => Promise.reject(throwing()),
  'returns an Err of a revoked proxy': () => err(revoked()),
  'returns an Err of what throws': () => err(throwing()),
  'returns a revoked proxy': revoked,
  'returns what throws': throwing,
  'returns a result that throws': () => ({ isErr: throws, value: 1 }),
  'returns half a result': () => ({ isErr: () => true, error: 'no' }),
  'returns what is no text and no entry': () => ({ isErr: () => false, value: 1 }),
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about
  'returns a thenable that throws': () => ({ then: throws }),
};

describe('a worker whose function', () => {
  test.for(Object.entries(failures))(
    '%s has failed, reports it, and continues',
    async ([, run]) => {
      const { sessions, clock, waiting } = open();
      const id = await waiting();
      const errors: unknown[] = [];
      working(sessions, {
        run,
        attempts: 2,
        concurrency: 1,
        onError: (error: unknown) => errors.push(error),
      });
      await pass(clock, 5);
      expect(errors).toMatchObject([1, 2].map((attempt) => ({ type: 'work_failed', id, attempt })));
      expect((await okOf(sessions.get(id))).work).toMatchObject({ state: 'exhausted', attempt: 2 });
    },
  );

  test('returns an object that resembles a result is done', async () => {
    const { sessions, clock, waiting } = open();
    const id = await waiting();
    working(sessions, { run: () => ({ isErr: () => false, value: 'Yes.' }), onError: throws });
    await pass(clock, 1);
    expect((await okOf(sessions.get(id))).work).toBeUndefined();
  });
});

describe('a worker whose onError', () => {
  test.each([
    ['throws', throws],
    ['rejects', () => Promise.reject(new Error('out of order'))],
    ['throws a revoked proxy', failures['throws a revoked proxy']],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about
    ['returns a thenable that throws', () => ({ then: throws })],
  ])('%s continues', async (_, onError) => {
    const { sessions, clock, waiting } = open();
    await waiting();
    const attempts: number[] = [];
    const run = ({ attempt }: { attempt: number }) => {
      attempts.push(attempt);
      throws();
    };
    working(sessions, { run, attempts: 2, onError });
    await pass(clock, 5);
    expect(attempts).toEqual([1, 2]);
  });
});

const misdeeds: Readonly<Record<string, () => unknown>> = {
  throws,
  rejects: () => Promise.reject(new Error('out of order')),
  'gives undefined': () => undefined,
  'gives a revoked proxy': revoked,
  'gives a result of nothing': () => ok(undefined),
  'gives a result of null in lists': () =>
    ok({ sessions: [null], failed: [null], nextCursor: undefined }),
  'gives a result of strange sessions': () =>
    ok({ sessions: [{ tenant: {}, id: 7, dueAt: Number.NaN }], failed: [], nextCursor: undefined }),
  'gives a result of a time that is none': () =>
    ok({
      sessions: [{ tenant: 'default', id: 's1', dueAt: Number.NaN }],
      failed: [],
      nextCursor: undefined,
    }),
};

describe('a worker on a store that breaks its contract', () => {
  const methods = ['take', 'find', 'findState', 'change'] as const;

  test.for(
    methods.flatMap((method) => Object.keys(misdeeds).map((kind) => [method, kind] as const)),
  )('continues if %s %s, and works once the store does', async ([method, kind]) => {
    const memory = new MemorySessionStore({ events: true });
    let isBroken = true;
    const inner = changed(memory, {});
    const own = (...args: readonly unknown[]): unknown => Reflect.apply(inner[method], inner, args);
    const misdeed = misdeeds[kind] ?? throws;
    const store = changed(memory, {
      events: memory.events,
      [method]: (...args: readonly unknown[]) => (isBroken ? misdeed() : own(...args)),
    });
    const { clock, sessions } = openSessions({ store });
    await okOf(
      new SessionService({ store: memory, clock }).create({ ...ada, start: true, wake: true }),
    );
    const done: string[] = [];
    working(sessions, {
      run: ({ session }: { session: { id: string } }) => done.push(session.id),
      seconds: 2,
    });
    await pass(clock, 3);
    isBroken = false;
    await pass(clock, 20);
    expect(done.length).toBeGreaterThan(0);
  });

  test.each([
    ['open', { open: throws }],
    ['streamOf', { streamOf: throws }],
    ['listen', { listen: throws }],
    ['read', { read: throws }],
    ['latest', { latest: () => Promise.reject(new Error('out of order')) }],
    ['a read of nothing', { read: () => ok(undefined) }],
    ['a read of null', { read: () => ok({ events: [null], position: '1' }) }],
  ])('polls after its events fail at %s polls', async (_, wrong) => {
    const memory = new MemorySessionStore({ events: true });
    const { events } = memory;
    if (events === undefined) throw new Error('the store has no events');
    const log = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: (...args: Parameters<typeof events.read>) => events.read(...args),
      ...wrong,
    };
    const { sessions, clock, waiting } = open(changed(memory, { events: untyped(log) }));
    const done: string[] = [];
    const run = ({ session }: { session: { id: string } }) => {
      done.push(session.id);
    };
    working(sessions, { run });
    await pass(clock, 1);
    const id = await waiting();
    await pass(clock, 3);
    expect(done).toEqual([id]);
  });
});

test('a worker is notified immediately of wakes again after its log failed once', async () => {
  const memory = new MemorySessionStore({ events: true });
  const { events } = memory;
  if (events === undefined) throw new Error('the store has no events');
  let calls = 0;
  const log = {
    streamOf: () => events.streamOf(),
    now: () => events.now(),
    read: (...args: Parameters<typeof events.read>) => events.read(...args),
    listen: (listener: () => void) => events.listen(listener),
    latest: () => {
      calls += 1;
      return calls === 1 ? undefined : events.latest();
    },
  };
  const { sessions, clock, waiting } = open(changed(memory, { events: untyped(log) }));
  const done: string[] = [];
  working(sessions, { run: ({ session }: { session: { id: string } }) => done.push(session.id) });
  await pass(clock, 3);
  const id = await waiting();
  await expect.poll(() => done).toEqual([id]);
});

describe('a worker with an injected clock', () => {
  test.each<readonly [string, () => number]>([
    ['throws', throws],
    ['gives no number', () => untyped('noon')],
    ['gives NaN', () => Number.NaN],
  ])('waits until its clock is right if that %s', async (_, wrong) => {
    const manual = new ManualClock();
    let isWrong = true;
    const clock = {
      now: () => (isWrong ? wrong() : manual.now()),
      after: (ms: number, done: () => void) => manual.after(ms, done),
    };
    const store = new MemorySessionStore({ events: true });
    const sessions = new SessionService({ store, clock });
    await okOf(
      new SessionService({ store, clock: manual }).create({ ...ada, start: true, wake: true }),
    );
    const errors: unknown[] = [];
    let done = 0;
    const run = () => {
      done += 1;
    };
    working(sessions, { run, onError: (error: unknown) => errors.push(error) });
    await pass(manual, 2);
    expect(errors[0]).toMatchObject({ type: 'misconfigured' });
    isWrong = false;
    await pass(manual, 2);
    expect(done).toBe(1);
  });

  test('has lost its lease if its clock fails during work', async () => {
    const manual = new ManualClock();
    let isWrong = false;
    const clock = {
      now: () => (isWrong ? throws() : manual.now()),
      after: (ms: number, done: () => void) => manual.after(ms, done),
    };
    const sessions = new SessionService({ store: new MemorySessionStore(), clock });
    await okOf(sessions.create({ ...ada, start: true, wake: true }));
    const reasons: unknown[] = [];
    const run = ({ signal }: { signal: AbortSignal }) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve();
        });
      });
    working(sessions, { run, seconds: 3 });
    await pass(manual, 1);
    isWrong = true;
    await pass(manual, 5);
    expect(reasons).toMatchObject([{ type: 'lease_lost' }]);
  });
});
