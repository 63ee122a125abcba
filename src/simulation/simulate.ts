import { MemorySessionStore } from '../../adapters/memory/index.js';
import { callback } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema, schema, typed } from '../schema/schema.js';
import { number, upTo, whole } from '../schema/values.js';
import { type SessionServiceOptions, serviceOptionSchemas } from '../service/service-options.js';
import type { SessionStore } from '../store/session-store.js';
import { type FaultType, faultTypes } from './fault-plan.js';
import {
  type Run,
  runSeed,
  type Scenario,
  type SimulatedHost,
  type SimulatedSessions,
} from './run-seed.js';

/** Options of `simulate`. */
export interface SimulationOptions {
  /**
   * The number of seeds, at least 1, or a list of seeds: `[4711]` runs only that seed. Default:
   * 1000.
   */
  readonly seeds?: number | readonly number[] | undefined;
  /** The first seed, from 0, if `seeds` is a number. Default: 1. */
  readonly firstSeed?: number | undefined;
  /** The number of hosts, 1 to 16. Default: 2. */
  readonly hosts?: number | undefined;
  /** The types of faults. Default: all. */
  readonly faults?: readonly FaultType[] | undefined;
  /** Simulated seconds with faults, 0 to 86400. Default: 60. */
  readonly duration?: number | undefined;
  /**
   * Simulated seconds without faults after that, in which the hosts may recover, 0 to 86400.
   * Default: 120.
   */
  readonly calm?: number | undefined;
  /** Options of the service, for example `idleTimeout`. */
  readonly service?: Omit<SessionServiceOptions, 'store' | 'clock' | 'ids'> | undefined;
  /** Creates an empty store for each run. Default: a `MemorySessionStore` with events. */
  readonly store?: ((seed: number) => SessionStore | PromiseLike<SessionStore>) | undefined;
  /** Prepares the sessions of a run. */
  readonly setup?: ((given: SimulatedSessions) => unknown) | undefined;
  /**
   * Your program, as one process runs it. It may end before the signal, or run until the signal.
   * After a crash, or an error of the program, the host is always started again, within ten
   * seconds.
   */
  readonly host: (given: SimulatedHost) => unknown;
  /**
   * Checks the sessions after a run. The run fails if it throws, rejects, or returns `false` or an
   * error result.
   */
  readonly check: (given: SimulatedSessions) => unknown;
  /**
   * Called every five seconds with the number of seeds that have been run. Default: a line on the
   * console.
   */
  readonly onProgress?: ((done: number, seeds: number) => void) | undefined;
}

/** A failed run, reduced to as few hosts and faults as were found. */
export interface SimulationFailure {
  /** The seed, for `seeds: [seed]`. */
  readonly seed: number;
  /** Why the run failed: the error of `check` or of a host. */
  readonly error: Error;
  /**
   * The calls and faults of the run up to the last change, without repeated lines, in the order of
   * time.
   */
  readonly trace: readonly string[];
  /** The seed, the error and the trace as text. */
  readonly story: string;
}

/** The result of `simulate`. */
export interface SimulationReport {
  /** The number of seeds that were run. */
  readonly seeds: number;
  /** The first failed run; absent if none failed. */
  readonly failure?: SimulationFailure;
}

const MAX_HOSTS = 16;
const MAX_SECONDS = 86_400;
const PROGRESS_MS = 5000;
/** Maximum number of runs to find a failure with fewer faults. */
const MAX_RUNS = 200;

const printProgress = (done: number, seeds: number): void =>
  console.info(`${done} of ${seeds} seeds`);

const seeds: Schema<number | readonly number[]> = schema((issues, path, value) => {
  if (typeof value === 'number') return whole(1).read(issues, path, value);
  if (Array.isArray(value) && value.every(Number.isSafeInteger)) return value;
  issues.check(false, path, 'must be a number, or an array of whole numbers');
  return [];
});

const isFault = (value: unknown): value is FaultType => faultTypes.some((type) => type === value);

const areFaults = (value: unknown): value is readonly FaultType[] =>
  Array.isArray(value) && value.every(isFault);

const FAULTS_RULE = `must be an array of ${faultTypes.join(', ')}`;

const seconds = number(0, MAX_SECONDS);

const { store: _store, clock: _clock, ids: _ids, ...serviceSchemas } = serviceOptionSchemas;

const readOptions = optionsOf('simulate', {
  seeds: optional(seeds, 1000),
  firstSeed: optional(whole(0), 1),
  hosts: optional(upTo(MAX_HOSTS), 2),
  faults: optional(typed(areFaults, FAULTS_RULE, []), faultTypes),
  duration: optional(seconds, 60),
  calm: optional(seconds, 120),
  service: optional(object(serviceSchemas)),
  store: optional(callback),
  setup: optional(callback),
  host: callback,
  check: callback,
  onProgress: optional(callback),
} satisfies Readonly<Record<keyof SimulationOptions, Schema<unknown>>>);

const read = (options: SimulationOptions) => {
  const given = readOptions(options);
  const { store = () => new MemorySessionStore({ events: true }), setup = () => {} } = options;
  const { service = {}, host, check, onProgress = printProgress } = options;
  const scenario: Scenario = {
    hosts: Array.from({ length: given.hosts }, (_, at) => at + 1),
    faults: given.faults,
    durationMs: 1000 * given.duration,
    calmMs: 1000 * given.calm,
    service,
    store,
    setup,
    host,
    check,
  };
  const { seeds, firstSeed } = given;
  if (typeof seeds !== 'number') return { scenario, seeds, onProgress };
  const length = { length: seeds };
  return { scenario, seeds: Array.from(length, (_, at) => firstSeed + at), onProgress };
};

/**
 * The same failure with as few faults as a binary search finds. The latest are left out first, so
 * that the failure comes sooner.
 */
const withFewerFaults = async (seed: number, scenario: Scenario, failed: Run): Promise<Run> => {
  let best = failed;
  let attempts = 0;
  for (let size = best.faults.length; size >= 1; ) {
    const count = best.faults.length;
    for (let to = count; to > 0 && attempts < MAX_RUNS; to -= size, attempts += 1) {
      const fewer = best.faults.filter((_, at) => at < to - size || at >= to);
      const run = await runSeed(seed, scenario, new Set(fewer));
      if (run.error !== undefined) best = run;
    }
    const isLast = size === 1 && best.faults.length === count;
    if (isLast || attempts === MAX_RUNS) break;
    size = Math.ceil(size / 2);
  }
  return best;
};

/** The same failure with as few hosts as it needs, and then with fewer faults. */
const reduced = async (seed: number, scenario: Scenario, failed: Run): Promise<Run> => {
  const none: ReadonlySet<string> = new Set();
  const run = (hosts: readonly number[], only?: ReadonlySet<string>) =>
    runSeed(seed, { ...scenario, hosts }, only);
  const needsFaults = (await run(scenario.hosts, none)).error === undefined;
  let best = { hosts: scenario.hosts, failed };
  for (const host of scenario.hosts.toReversed()) {
    const hosts = best.hosts.filter((each) => each !== host);
    if (hosts.length === 0) continue;
    const fewer = await run(hosts);
    if (fewer.error === undefined) continue;
    // A check of what all hosts have done fails without one of them, but that is another failure.
    if (!needsFaults || (await run(hosts, none)).error === undefined)
      best = { hosts, failed: fewer };
  }
  return withFewerFaults(seed, { ...scenario, hosts: best.hosts }, best.failed);
};

const failureOf = (seed: number, { error, trace }: Run): SimulationFailure => {
  const cause = error ?? new Error('the run failed once, but not when it was repeated');
  const story = [
    `seed ${seed}: ${cause.message}`,
    ...trace,
    `Run it again with { seeds: [${seed}] }.`,
  ].join('\n');
  return { seed, error: cause, trace, story };
};

/**
 * Runs your program as several processes on a simulated clock and store, once for each seed, until
 * a run fails. The seed determines the order and the time of all calls and answers of the store,
 * and every fault. Rejects with a `TypeError` that names every invalid option.
 */
export const simulate = async (options: SimulationOptions): Promise<SimulationReport> => {
  const { scenario, seeds, onProgress } = read(options);
  let toldAt = performance.now();
  let done = 0;
  for (const seed of seeds) {
    const run = await runSeed(seed, scenario);
    done += 1;
    if (run.error !== undefined) {
      return { seeds: done, failure: failureOf(seed, await reduced(seed, scenario, run)) };
    }
    if (performance.now() - toldAt < PROGRESS_MS) continue;
    toldAt = performance.now();
    onProgress(done, seeds.length);
  }
  return { seeds: done };
};
