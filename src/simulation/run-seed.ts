import { isFields } from '../input/parse-fields.js';
import { type SessionService, sessionsOf } from '../service/session-service.js';
import { parseSettings, type SessionServiceOptions, type Settings } from '../service/settings.js';
import type { Clock } from '../session/clock.js';
import type { Ids } from '../session/ids.js';
import type { SessionStore } from '../store/session-store.js';
import { FaultPlan, type FaultType } from './fault-plan.js';
import { Process } from './process.js';
import { simulatedStore } from './simulated-store.js';
import { type TracedSessions, tracedSessions } from './traced-sessions.js';
import { World } from './world.js';

/** The argument of a host: your program uses its members in place of those of production. */
export interface SimulatedHost {
  /** The sessions, in the store that all hosts share. */
  readonly sessions: SessionService;
  /** The clock of this host: `now()`, and `after(ms, done)` for its timers. */
  readonly clock: Required<Clock>;
  /** Aborted when the run ends, like a SIGTERM. A crash aborts nothing. */
  readonly signal: AbortSignal;
  /**
   * The number of the host, from 1. The process that is started after a crash has the same number.
   */
  readonly host: number;
  /** A random number from 0 up to 1 that depends on the seed. Use it instead of `Math.random`. */
  readonly random: () => number;
}

/** The sessions of a run without faults, to prepare and to check them. */
export interface SimulatedSessions {
  /** The sessions, read from the store and written to it without faults. */
  readonly sessions: SessionService;
}

/** A program to simulate, and the conditions of its runs. */
export interface Scenario {
  /** The numbers of the hosts. */
  readonly hosts: readonly number[];
  readonly faults: readonly FaultType[];
  readonly durationMs: number;
  readonly calmMs: number;
  readonly service: Omit<SessionServiceOptions, 'store' | 'clock' | 'ids'>;
  readonly store: (seed: number) => SessionStore | PromiseLike<SessionStore>;
  readonly setup: (given: SimulatedSessions) => unknown;
  readonly host: (given: SimulatedHost) => unknown;
  readonly check: (given: SimulatedSessions) => unknown;
}

export interface Run {
  /** Why the run failed; undefined if it did not. */
  readonly error: Error | undefined;
  /** The calls and faults of the run, one per line. */
  readonly trace: readonly string[];
  /** The calls that had a fault. */
  readonly faults: readonly string[];
}

const RESTART_MS = 10_000;
/** Maximum simulated milliseconds between the signal and the end of a host. */
const STOP_MS = 60_000;
const MAX_STEPS = 200_000;
/** Number of hosts that end with an error after the last fault until the run fails. */
const MAX_ERRORS = 3;

const asError = (cause: unknown): Error =>
  cause instanceof Error ? cause : new Error(String(cause), { cause });

/** The error of a check, which may throw, reject, or return false or an error result. */
const errorOf = async (check: () => unknown): Promise<Error | undefined> => {
  try {
    const verdict = await check();
    if (verdict === false) return new Error('the check returned false');
    return isFields(verdict) && 'isErr' in verdict && 'error' in verdict
      ? asError(verdict['error'])
      : undefined;
  } catch (error) {
    return asError(error);
  }
};

/** Runs the hosts once with a seed. With `only`, no other calls have faults. */
export const runSeed = async (
  seed: number,
  scenario: Scenario,
  only?: ReadonlySet<string>,
): Promise<Run> => {
  const world = new World(seed);
  const until = world.now + scenario.durationMs;
  const plan = new FaultPlan(world, { types: scenario.faults, until, only });
  const inner = await scenario.store(seed);
  const stop = new AbortController();
  const running = new Set<Process>();
  let [restarts, sessionIds, steps, errors] = [0, 0, 0, 0];
  let failure: Error | undefined;
  const ids: Ids = {
    next: () => {
      sessionIds += 1;
      return `s${sessionIds}`;
    },
  };

  const leave = (process: Process): void => {
    process.isAlive = false;
    running.delete(process);
  };
  const restart = (process: Process): void => {
    restarts += 1;
    world.schedule(
      undefined,
      RESTART_MS * world.chance(`${process.name} ${process.start} restart`),
      () => {
        restarts -= 1;
        if (!stop.signal.aborted) begin(process.host, process.start + 1);
      },
    );
  };
  const kill = (process: Process): void => {
    if (!process.isAlive) return;
    world.tell(process.name, 'dies', 'change');
    leave(process);
    restart(process);
  };
  const randomOf = (name: string) => {
    let numbers = 0;
    return () => {
      numbers += 1;
      return world.chance(`${name} ${numbers}`);
    };
  };
  const settingsOf = (
    store: SessionStore,
    clock: Clock,
    name: string,
    make?: TracedSessions,
  ): Settings =>
    parseSettings({ ...scenario.service, store, clock, ids }, randomOf(`revision ${name}`), make);
  const begin = (host: number, start: number): void => {
    const process = new Process(host, start);
    const clock = world.clockOf(process);
    const store = simulatedStore(inner, process, { world, plan, kill });
    const name = `${host}.${start}`;
    const given = {
      sessions: sessionsOf(settingsOf(store, clock, name, tracedSessions(process, world))),
      clock,
      signal: stop.signal,
      host,
      random: randomOf(`${name} random`),
    };
    world.tell(process.name, start === 1 ? 'starts' : 'is started again');
    running.add(process);
    (async () => scenario.host(given))().then(
      () => {
        if (!process.isAlive) return;
        world.tell(process.name, 'ends');
        leave(process);
      },
      (error: unknown) => {
        if (!process.isAlive) return;
        world.tell(process.name, `ends with an error: ${asError(error).message}`, 'error');
        leave(process);
        if (world.now >= until) errors += 1;
        if (errors === MAX_ERRORS) failure = asError(error);
        restart(process);
      },
    );
  };
  /** Runs the simulation up to a time, as long as `isWaiting` returns true. */
  const drive = async (isWaiting: () => boolean, end: number): Promise<void> => {
    do {
      const error = await errorOf(() => world.settle());
      failure ??= error;
      steps += 1;
      if (steps > MAX_STEPS)
        failure ??= new Error(`the hosts have made ${MAX_STEPS} steps without coming to rest`);
    } while (failure === undefined && isWaiting() && world.step(end));
  };

  const sessions = sessionsOf(settingsOf(inner, world.clockOf(), 'setup'));
  const given = { sessions };
  failure = await errorOf(() => scenario.setup(given));
  for (const host of scenario.hosts) begin(host, 1);
  await drive(() => running.size + restarts > 0, until + scenario.calmMs);
  stop.abort();
  await drive(() => running.size > 0, world.now + STOP_MS);
  for (const process of running) leave(process);
  const error = await errorOf(() => scenario.check(given));
  failure ??= error;
  return { error: failure, trace: world.trace, faults: plan.made };
};
