import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { ok, type Result, ResultAsync } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type {
  OperationErrors,
  SessionEvent,
  SessionService,
  StoreError,
  TenantChange,
  TenantEvent,
} from '../../src/index.js';
import type { Answer, EventLog } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { pick, turns } from '../support/plans.js';
import { createdIn, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const SESSIONS = 3;
const said = [{ role: 'user', content: 'hello' }];

const number = fc.nat({ max: 1000 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('append' as const), number }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('take' as const), number }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('turn' as const), number: fc.nat({ max: 6 }) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('resume' as const), number }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('list' as const, 'watch' as const), number }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('leave' as const), number }) },
);
/** `delays`: how many turns of the event loop each call of the log takes, there and back. */
const plans = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
  delays: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 10 }),
});

type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

/** Lets time pass: turns of the event loop, and a millisecond between two events. */
const pass = async (count: number): Promise<void> => {
  vi.setSystemTime(Date.now() + 1);
  await turns(count);
};

/** The same log, whose answers take a while: on the way there, and on the way back. */
const delayed = (log: EventLog, delays: readonly number[]): EventLog => {
  let ways = 0;
  const way = async (): Promise<void> => {
    ways += 1;
    await turns(delays[ways % delays.length] ?? 0);
  };
  const slowly = <T>(call: () => Answer<T, StoreError>): Answer<T, StoreError> =>
    new ResultAsync(way().then(call)).andThen(
      (value) => new ResultAsync(way().then(() => ok(value))),
    );
  return {
    streamOf: (tenant) => log.streamOf(tenant),
    latest: (stream) => slowly(() => log.latest(stream)),
    now: (stream) => slowly(() => log.now(stream)),
    read: (...args) => slowly(() => log.read(...args)),
    listen: (listener, stream) => log.listen?.(listener, stream) ?? (() => undefined),
  };
};

/** Where a watch begins: after a number of logged events, or a little before. */
interface Beginning {
  readonly cursor: string;
  readonly logged: number;
  readonly isExact: boolean;
}

const isEvent = (item: TenantChange): item is TenantEvent => item.type !== 'events_lost';

/** A watch of all sessions, and what it has yielded so far. */
class Watch {
  readonly items: TenantChange[] = [];
  /** Undefined if it begins now. */
  readonly beginning: Beginning | undefined;
  readonly #iterator: AsyncIterator<Result<TenantChange, OperationErrors['watch']>, void>;
  readonly #end = new AbortController();
  #taking: Promise<void> | undefined;

  constructor(sessions: SessionService, beginning?: Beginning) {
    this.beginning = beginning;
    const { signal } = this.#end;
    const options = { signal, ...(beginning && { cursor: beginning.cursor }) };
    this.#iterator = sessions.watchAll(options)[Symbol.asyncIterator]();
  }

  get events(): readonly TenantEvent[] {
    return this.items.filter(isEvent);
  }

  /** Requests the next item, unless a request is still pending. */
  take(): Promise<void> {
    this.#taking ??= this.#iterator.next().then(({ value, done }) => {
      this.#taking = undefined;
      if (done !== true) this.items.push(value._unsafeUnwrap());
    });
    return this.#taking;
  }

  leave(): void {
    this.#end.abort();
  }
}

/** A store that keeps the last events, all events that it has logged, and its sessions. */
const open = async (length: number, delays: readonly number[]) => {
  const store = new MemorySessionStore({ events: { length } });
  const { events: log } = store;
  if (log === undefined) throw new Error('the store has no events');
  const { sessions } = openSessions({ store: changed(store, { events: delayed(log, delays) }) });
  const logged: SessionEvent[] = [];
  /** After each change, because the store does not keep its event until the end. */
  const note = (): void => {
    const page = log.read('', logged.at(-1)?.position ?? '0', 1000)._unsafeUnwrap();
    logged.push(...page.events);
  };
  const ids: string[] = [];
  while (ids.length < SESSIONS) {
    ids.push(await createdIn(sessions));
    note();
    await okOf(sessions.start(ids.at(-1) ?? ''));
    note();
  }
  const append = async (id: string): Promise<void> => {
    await okOf(sessions.append(id, said));
    note();
  };
  return { sessions, logged, ids, append };
};

/**
 * Takes what a watch gives, up to an event. Nothing waits for time to pass, so an event that comes
 * comes soon.
 */
const taken = async (watch: Watch, id: string): Promise<void> => {
  for (let left = 300; left > 0 && !watch.events.some((event) => event.id === id); left -= 1) {
    void watch.take();
    await turn();
  }
};

/** Carries out a plan, and returns the logged events and the remaining watches with their items. */
const carryOut = async ({ steps, delays }: Plan, length: number) => {
  const { sessions, logged, ids, append } = await open(length, delays);
  const watches: Watch[] = [];
  const left = new Set<Watch>();
  const listed = async (): Promise<Beginning> => {
    const before = logged.length;
    const { watchCursor: position = '' } = await okOf(
      sessions.list({ limit: 1 }, { withWatchCursor: true }),
    );
    return { cursor: position, logged: before, isExact: false };
  };
  /** After an event that a watch has given, or before all events. */
  const known = (at: number): Beginning => {
    const last = pick(
      watches.flatMap(({ events }) => events),
      at,
    );
    const before = logged.findIndex(({ id }) => id === last?.id) + 1;
    return { cursor: last?.cursor ?? '0', logged: before, isExact: true };
  };
  for (const { does, number: at } of steps) {
    const watch = pick(watches, at);
    if (does === 'append') await append(pick(ids, at) ?? '');
    else if (does === 'turn') await pass(at % 4);
    else if (does === 'take') void watch?.take();
    else if (does === 'watch') watches.push(new Watch(sessions));
    else if (does === 'list') watches.push(new Watch(sessions, await listed()));
    else if (does === 'resume') {
      watches.push(new Watch(sessions, known(at)));
      void watches.at(-1)?.take();
    } else if (watch !== undefined) {
      left.add(watch);
      watch.leave();
    }
  }
  const kept = watches.filter((watch) => !left.has(watch));
  for (const watch of kept) void watch.take();
  // All watches are open.
  await turns(60);
  for (const id of ids) await append(id);
  const last = logged.slice(-SESSIONS);
  for (const watch of kept) {
    for (const { id } of last) await taken(watch, id);
    watch.leave();
  }
  return { logged, kept };
};

/**
 * The events that a watch yields out of order or after a gap, or misses at the end, without
 * `events_lost` since the last event of their session.
 */
const mistakesOf = (
  { items, beginning }: Watch,
  logged: readonly SessionEvent[],
): readonly string[] => {
  const lasts = new Map<string, number>();
  if (beginning !== undefined) for (const { sessionId } of logged) lasts.set(sessionId, 0);
  for (const { sessionId, sequence } of logged.slice(0, beginning?.logged ?? 0))
    lasts.set(sessionId, sequence);
  const mayRepeat = new Set(beginning?.isExact === false ? lasts.keys() : []);
  const mistakes: string[] = [];
  for (const item of items) {
    if (!isEvent(item)) {
      lasts.clear();
      continue;
    }
    const { sessionId, sequence, id } = item;
    const next = (lasts.get(sessionId) ?? sequence - 1) + 1;
    if (mayRepeat.has(sessionId) ? sequence > next : sequence !== next) mistakes.push(id);
    mayRepeat.delete(sessionId);
    lasts.set(sessionId, sequence);
  }
  const missing = items.every(isEvent) ? 0 : undefined;
  const isLast = ({ sessionId, sequence }: SessionEvent): boolean =>
    (lasts.get(sessionId) ?? missing ?? sequence) === sequence;
  return [
    ...mistakes,
    ...logged.slice(-SESSIONS).flatMap((event) => (isLast(event) ? [] : [event.id])),
  ];
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const numRuns = moreIfLong(60, 5000);

describe('watches of all sessions that begin, resume, wait and lag behind at random', () => {
  test('yield each event once and in the order of its session', async () => {
    const property = fc.asyncProperty(plans, async (plan) => {
      const { logged, kept } = await carryOut(plan, 100_000);
      for (const watch of kept) {
        expect(mistakesOf(watch, logged)).toEqual([]);
        expect(watch.items.filter((item) => !isEvent(item))).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns });
  });

  test('report events_lost if the log no longer contains the next event', async () => {
    const property = fc.asyncProperty(
      plans,
      fc.integer({ min: 1, max: 8 }),
      async (plan, length) => {
        const { logged, kept } = await carryOut(plan, length);
        for (const watch of kept) expect(mistakesOf(watch, logged)).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns });
  });
});
