import { parseSettings, type SessionServiceOptions } from '../service/service-options.js';
import { type SessionService, sessionsOf } from '../service/session-service.js';
import type { Clock } from '../session/clock.js';
import { isFields } from '../session/fields.js';
import type { Ids } from '../session/ids.js';
import { isError } from '../session/native-kinds.js';
import type { SessionStore } from '../store/session-store.js';
import { FaultPlan, type FaultType } from './fault-plan.js';
import { simulatedStore } from './simulated-store.js';
import { type TracedSessions, tracedSessions } from './traced-sessions.js';
import { Process, World } from './world.js';

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

/** The operation errors that `Result` contains are plain objects with a type and a message. */
const textOf = (cause: unknown): string => {
  const parts = isFields(cause) ? [cause['type'], cause['message']] : [];
  return parts.filter((part) => typeof part === 'string').join(': ') || String(cause);
};

const asError = (cause: unknown): Error =>
  isError(cause) ? cause : new Error(textOf(cause), { cause });

/** The error of a check, which may throw, reject, or return false or an error result. */
const errorOf = async (check: () => unknown): Promise<Error | undefined> => {
  try {
    const verdict = await check();
    if (verdict === false) return new Error('the check returned false');
    const isError = isFields(verdict) && 'isErr' in verdict && 'error' in verdict;
    return isError ? asError(verdict['error']) : undefined;
  } catch (error) {
    return asError(error);
  }
};

/** Random numbers that depend on the seed and a name. */
const randomOf = (world: World, name: string): (() => number) => {
  let numbers = 0;
  return () => {
    numbers += 1;
    return world.chance(`${name} ${numbers}`);
  };
};

const countingIds = (): Ids => {
  let ids = 0;
  return {
    next: () => {
      ids += 1;
      return `s${ids}`;
    },
  };
};

/** The hosts of a run, and the processes in which they run one after another. */
class SimulatedHosts {
  readonly #world: World;
  readonly #scenario: Scenario;
  readonly #plan: FaultPlan;
  readonly #store: SessionStore;
  readonly #until: number;
  readonly #ids = countingIds();
  readonly #stop = new AbortController();
  readonly #running = new Set<Process>();
  /** Number of processes that will be started. */
  #restarts = 0;
  #steps = 0;
  /** Number of errors after the last fault. */
  #errors = 0;
  failure: Error | undefined;

  constructor(world: World, scenario: Scenario, plan: FaultPlan, store: SessionStore) {
    this.#world = world;
    this.#scenario = scenario;
    this.#plan = plan;
    this.#store = store;
    this.#until = world.now + scenario.durationMs;
  }

  get sessions(): SessionService {
    return this.#sessionsOf(this.#store, this.#world.clockOf(), 'setup');
  }

  async run(): Promise<void> {
    const { hosts, calmMs } = this.#scenario;
    for (const host of hosts) this.#begin(host, 1);
    await this.#drive(() => this.#running.size + this.#restarts > 0, this.#until + calmMs);
    this.#stop.abort();
    await this.#drive(() => this.#running.size > 0, this.#world.now + STOP_MS);
    for (const process of this.#running) this.#leave(process);
  }

  /** Runs the simulation up to a time, as long as `isWaiting` returns true. */
  async #drive(isWaiting: () => boolean, end: number): Promise<void> {
    do {
      const error = await errorOf(() => this.#world.settle());
      this.failure ??= error;
      this.#steps += 1;
      if (this.#steps > MAX_STEPS)
        this.failure ??= new Error(`the hosts have made ${MAX_STEPS} steps without coming to rest`);
    } while (this.failure === undefined && isWaiting() && this.#world.step(end));
  }

  #begin(host: number, start: number): void {
    const process = new Process(host, start);
    const world = this.#world;
    const clock = world.clockOf(process);
    const kill = (dying: Process): void => this.#kill(dying);
    const store = simulatedStore(this.#store, process, { world, plan: this.#plan, kill });
    const name = `${host}.${start}`;
    const given = {
      sessions: this.#sessionsOf(store, clock, name, tracedSessions(process, world)),
      clock,
      signal: this.#stop.signal,
      host,
      random: randomOf(world, `${name} random`),
    };
    world.tell(process.name, start === 1 ? 'starts' : 'is started again');
    this.#running.add(process);
    (async () => this.#scenario.host(given))().then(
      () => this.#end(process),
      (error: unknown) => this.#fail(process, asError(error)),
    );
  }

  #sessionsOf(
    store: SessionStore,
    clock: Clock,
    name: string,
    make?: TracedSessions,
  ): SessionService {
    const options = { ...this.#scenario.service, store, clock, ids: this.#ids };
    return sessionsOf(parseSettings(options, randomOf(this.#world, `revision ${name}`), make));
  }

  #end(process: Process): void {
    if (!process.isAlive) return;
    this.#world.tell(process.name, 'ends');
    this.#leave(process);
  }

  #fail(process: Process, error: Error): void {
    if (!process.isAlive) return;
    this.#world.tell(process.name, `ends with an error: ${error.message}`, 'error');
    this.#leave(process);
    if (this.#world.now >= this.#until) this.#errors += 1;
    if (this.#errors === MAX_ERRORS) this.failure = error;
    this.#restart(process);
  }

  #kill(process: Process): void {
    if (!process.isAlive) return;
    this.#world.tell(process.name, 'dies', 'change');
    this.#leave(process);
    this.#restart(process);
  }

  #leave(process: Process): void {
    process.isAlive = false;
    this.#running.delete(process);
  }

  #restart({ name, host, start }: Process): void {
    this.#restarts += 1;
    const ms = RESTART_MS * this.#world.chance(`${name} ${start} restart`);
    this.#world.schedule(undefined, ms, () => {
      this.#restarts -= 1;
      if (!this.#stop.signal.aborted) this.#begin(host, start + 1);
    });
  }
}

/** Runs the hosts once with a seed. With `only`, no other calls have faults. */
export const runSeed = async (
  seed: number,
  scenario: Scenario,
  only?: ReadonlySet<string>,
): Promise<Run> => {
  const world = new World(seed);
  const until = world.now + scenario.durationMs;
  const plan = new FaultPlan(world, { types: scenario.faults, until, only });
  const hosts = new SimulatedHosts(world, scenario, plan, await scenario.store(seed));
  const given = { sessions: hosts.sessions };
  hosts.failure = await errorOf(() => scenario.setup(given));
  await hosts.run();
  const error = await errorOf(() => scenario.check(given));
  return { error: hosts.failure ?? error, trace: world.trace, faults: plan.made };
};
