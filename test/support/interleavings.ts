import type { Result, ResultAsync } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { EndedSession } from '../../src/index.js';
import { SessionService } from '../../src/service/session-service.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock } from './manual-clock.js';
import { countingIds, type Failure } from './sessions.js';

/** A store that calls `interrupt` before each of its calls. */
const interruptible = (inner: SessionStore, interrupt: () => Promise<void>): SessionStore =>
  new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        await interrupt();
        return Reflect.apply(method, target, args);
      };
    },
  });

/** Two services on one memory store: `mine` runs the command, and `other` its rival. */
export interface Bench {
  readonly mine: SessionService;
  readonly other: SessionService;
  readonly clock: ManualClock;
  /** The ends that sweeps have reported. */
  readonly told: EndedSession[];
}

/** The result of one operation or of several. */
type Told = ResultAsync<unknown, Failure> | Promise<Result<unknown, Failure>>;

export type Step = (sessions: SessionService, bench: Bench) => Told;

export interface Race {
  readonly reportEnds: boolean;
  /** Whether `mine` created the session, so that it starts from its guess of the state. */
  readonly isOwn: boolean;
  /** Prepares the sessions. */
  readonly given: Step;
  readonly command: Step;
  readonly rival: Step;
  /**
   * Whether a later call handles the rival's change, for example the next sweep. The result and the
   * sessions between both calls then do not count.
   */
  readonly isPartial?: boolean;
  /** Reads what callers see, now (`sessions`) and later. */
  readonly observe: (bench: Bench) => Promise<Readonly<Record<string, unknown>>>;
}

/** The results and the visible state, without what differs from run to run. */
export interface Outcome {
  readonly answer: unknown;
  readonly rival: unknown;
  readonly seen: unknown;
}

const random: ReadonlySet<string> = new Set(['revision', 'fencingToken', 'wakeAt', 'removal']);

const withoutRandom = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (random.has(key) ? undefined : part)));

const toldBy = async (step: Told): Promise<unknown> => {
  const result = await step;
  if (result.isErr()) return { error: result.error.type };
  return { value: withoutRandom(result.value ?? 'done') };
};

/** Runs the rival before call `at` of the command; 0 for before all, Infinity for after all. */
const run = async (race: Race, at: number): Promise<Outcome & { readonly calls: number }> => {
  const inner = new MemorySessionStore({ reportEnds: race.reportEnds });
  let calls = 0;
  let isRunning = false;
  let rival: unknown;
  const runRival = async () => {
    rival = await toldBy(race.rival(bench.other, bench));
  };
  const store = interruptible(inner, async () => {
    if (!isRunning) return;
    calls += 1;
    if (calls === at) await runRival();
  });
  const clock = new ManualClock();
  const common = { clock, inactivityTimeout: 600, retention: 3600 };
  const bench: Bench = {
    mine: new SessionService({ ...common, ids: countingIds(), store }),
    other: new SessionService({ ...common, store: inner }),
    clock,
    told: [],
  };
  await toldBy(race.given(race.isOwn ? bench.mine : bench.other, bench));
  if (at === 0) await runRival();
  isRunning = true;
  const answer = await toldBy(race.command(bench.mine, bench));
  isRunning = false;
  if (at > calls) await runRival();
  const seen = await race.observe(bench);
  if (!race.isPartial) return { answer, rival, seen: withoutRandom(seen), calls };
  return { answer: 'any', rival, seen: withoutRandom({ ...seen, sessions: 'any' }), calls };
};

/** An interleaving, and the outcomes of the two orders of command and rival. */
export interface Interleaving {
  readonly before: number;
  readonly outcome: Outcome;
  readonly orders: readonly Outcome[];
}

/** Runs the command once for each of its store calls, with the rival before that call. */
export const interleavingsOf = async (race: Race): Promise<readonly Interleaving[]> => {
  const { calls: _first, ...rivalFirst } = await run(race, 0);
  const { calls: _last, ...rivalLast } = await run(race, Number.POSITIVE_INFINITY);
  const all: Interleaving[] = [];
  for (let before = 1; ; before += 1) {
    const { calls, ...outcome } = await run(race, before);
    // The command has finished before this call.
    if (calls < before) return all;
    all.push({ before, outcome, orders: [rivalFirst, rivalLast] });
  }
};
