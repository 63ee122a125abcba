import type { StateRecord } from '../../session/session-record.js';
import { hasRunOut } from '../../session/work-state.js';
import { type ChangeCommit, isMove } from '../../store/commit.js';
import type { DueKey, SessionKey, SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { hasEvents, latestPosition } from '../event-steps.js';
import { NOON, upTo } from '../samples.js';
import { checkSession, checkTenant, dueOf, type Pair } from './checks.js';
import { Dice } from './dice.js';
import { ModelStore } from './model-store.js';
import { type RandomStep, randomStep, type World } from './random-steps.js';
import { shownCall, withShortTimes } from './shown-call.js';
import { type Failure, shrink } from './shrink.js';
import { Twin } from './twin.js';

/** The store that `checkRandomCommits` examines. */
export interface RandomSubject {
  /** An empty store. */
  readonly store: SessionStore;
  /** Another store object over the same data, which makes every other call; or `store` itself. */
  readonly second: SessionStore;
  /** Whether the store has lists by status and limits of live sessions. */
  readonly hasStatuses: boolean;
}

const begin = async ({ store, model, twin }: Pair, commit: Call<'begin'>) => {
  const actual = await answerOf(store.begin(twin.begin(commit)));
  return twin.answer(actual, model.begin(commit), 'begin');
};

type Call<C extends 'begin' | 'change' | 'remove'> = Extract<
  RandomStep,
  { readonly call: C }
>['commit'];

/** A move from the time that the store returned, as a sweep does it. */
const asTold = async (pair: Pair, commit: ChangeCommit): Promise<ChangeCommit> => {
  const session = pair.model.sessionAt(commit.key);
  if (!isMove(commit) || session === undefined) return commit;
  const due = await dueOf(pair, session.dueAt);
  const { id, removal } = commit.key;
  const told = due.find((each) => each.id === id && each.removal === removal);
  const dueAt = (told?.dueAt ?? session.dueAt) + (commit.guards.dueAt - session.dueAt);
  return { ...commit, guards: { ...commit.guards, dueAt } };
};

/** The version before a rewind that removes nothing and adds entries. */
const emptyRewindOf = ({ model }: Pair, { key, effects }: ChangeCommit): string | undefined => {
  const history = model.sessionAt(key)?.history;
  if (history === undefined || !('entries' in effects)) return undefined;
  const { truncate, entries = [] } = effects;
  const isEmpty = history.keptAfter(truncate) === history.current.length && entries.length > 0;
  return truncate !== undefined && isEmpty ? history.version : undefined;
};

/** Whether such a rewind makes another version is the store's choice. */
const followVersion = async ({ store, model, twin }: Pair, key: SessionKey, before: string) => {
  const found = await answerOf(store.find(key, { historyLimit: 0 }));
  const isKept = twin.difference(found?.historyVersion, before, 'historyVersion') === undefined;
  if (isKept) model.sessionAt(key)?.history.keepVersion(before);
};

const change = async (pair: Pair, commit: ChangeCommit) => {
  const { store, model, twin } = pair;
  const incarnation = model.sessionAt(commit.key)?.incarnation;
  const sent = twin.change(await asTold(pair, commit), incarnation);
  const actual = await answerOf(store.change(sent));
  // How many rewinds a history can keep is the store's choice.
  if (actual.outcome === 'refused' && actual.guard === 'rewinds') return undefined;
  const rewound = emptyRewindOf(pair, commit);
  const wrong = twin.answer(actual, model.change(commit), 'change', incarnation);
  if (wrong === undefined && rewound !== undefined) await followVersion(pair, commit.key, rewound);
  return wrong;
};

const remove = async ({ store, model, twin }: Pair, commit: Call<'remove'>) => {
  const actual = await answerOf(store.remove(commit));
  return twin.answer(actual, model.remove(commit), 'remove');
};

type TakeRange = Extract<RandomStep, { readonly call: 'take' }>['range'];

/** The ids that a `take` must return, in order; undefined if the port leaves the store a choice. */
const mustTake = ({ model, tenant }: Pair, { now, limit, inCompany = false }: TakeRange) => {
  const waiting = model.waiting(tenant, now);
  const times = new Set(waiting.map(({ wakeAt }) => wakeAt));
  const hasChoice = times.size < waiting.length || waiting.length > limit;
  if (hasChoice || model.sessionsOf(tenant).some((each) => each.mayBeDropped)) return undefined;
  const isCrashed = ({ state }: { readonly state: StateRecord }) => hasRunOut(state, now);
  const [first] = waiting;
  const isAlone = first !== undefined && isCrashed(first) && !inCompany;
  const taken = isAlone ? [first] : waiting.filter((each) => !isCrashed(each));
  return taken.map(({ key, wakeAt }) => ({ id: key.id, dueAt: wakeAt }));
};

const take = async (pair: Pair, range: TakeRange) => {
  const { store, model, twin, tenant } = pair;
  const { now, until, limit } = range;
  const { sessions } = await answerOf(store.take(range));
  const told = sessions.map(({ id, dueAt }) => ({ id, dueAt }));
  const wrong = twin.difference(told, mustTake(pair, range) ?? told, 'take');
  if (wrong !== undefined) return wrong;
  if (sessions.length > limit) return `take returned more than ${limit} sessions`;
  const waiting = model.waiting(tenant, now);
  for (const { id, record } of sessions) {
    const session = waiting.find(({ key }) => key.id === id);
    if (session === undefined) return `take returned ${id}, which does not wait`;
    const expected = model.find(session.key, 0);
    const found = twin.difference(record, expected, `take ${id}`, session.incarnation);
    if (found !== undefined) return found;
  }
  model.taken(sessions, tenant, now, until);
  return undefined;
};

const carryOut = (pair: Pair, step: RandomStep): Promise<string | undefined> => {
  if (step.call === 'begin') return begin(pair, step.commit);
  if (step.call === 'change') return change(pair, step.commit);
  if (step.call === 'remove') return remove(pair, step.commit);
  return take(pair, step.range);
};

const keysOf = (step: RandomStep): readonly DueKey[] => {
  if (step.call === 'take') return [];
  const { key, effects } = step.commit;
  const left = 'remains' in effects ? effects.remains : undefined;
  return left === undefined ? [key] : [key, { ...key, removal: left.removal }];
};

/** Removes all sessions, so that the next sequence finds an empty store. */
const tidied = async (pair: Pair, now: number): Promise<string | undefined> => {
  for (const { key } of pair.model.sessionsOf(pair.tenant)) {
    const events = key.removal === undefined ? [{ type: 'deleted' as const, at: now }] : [];
    const found = await remove(pair, { key, guards: {}, effects: { events } });
    if (found !== undefined) return found;
  }
  return checkTenant(pair, now);
};

class Run {
  readonly #calls: [number, RandomStep][] = [];
  readonly #pair: Pair;
  readonly #seed: number;
  readonly #second: SessionStore;
  readonly #states: StateRecord[] = [];
  readonly #versions: { id: string; version: string }[] = [];

  constructor(pair: Pair, second: SessionStore, seed: number) {
    this.#pair = pair;
    this.#second = second;
    this.#seed = seed;
  }

  /** Makes a step with its own dice, so that shrinking does not change later steps. */
  async step(number: number): Promise<string | undefined> {
    const step = randomStep(this.#worldAt(number));
    if (step === undefined) return undefined;
    this.#calls.push([number, step]);
    const { store } = this.#pair;
    const pair = { ...this.#pair, store: number % 2 === 0 ? store : this.#second };
    const found = await carryOut(pair, step);
    if (found !== undefined) return found;
    for (const key of keysOf(step)) {
      this.#remember(key);
      const wrong = await checkSession(this.#pair, key);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  get calls(): readonly string[] {
    return this.#calls.map(([number, step]) => `${number}. ${shownCall(step)}`);
  }

  timeOf(step: number): number {
    return NOON + step * 30;
  }

  #worldAt(step: number): World {
    const { model, tenant, twin, hasStatuses } = this.#pair;
    const dice = new Dice(this.#seed * 1000 + step);
    // Two steps in three go forward; the clock of the others is behind or ahead.
    const now = this.timeOf(step) + (dice.chance(0.3) ? dice.below(300) - 150 : 0);
    const positionsOf = (incarnation: string) => twin.positionsOf(incarnation);
    const memory = { states: this.#states, versions: this.#versions };
    return { model, dice, tenant, now, step, hasStatuses, positionsOf, ...memory };
  }

  #remember(key: DueKey): void {
    const session = this.#pair.model.sessionAt(key);
    if (session === undefined) return;
    this.#states.push(session.state);
    this.#versions.push({ id: key.id, version: session.history.version });
  }
}

/** The steps of a sequence that run, and the number of steps between complete checks. */
interface Part {
  readonly seed: number;
  readonly steps: readonly number[];
  readonly every: number;
  /** A tenant that only this run uses. */
  readonly tenant: string;
}

const runPart = async (
  { store, second, hasStatuses }: RandomSubject,
  { seed, steps, every, tenant }: Part,
): Promise<Failure | undefined> => {
  const eventsFrom = (await hasEvents(store)) ? await latestPosition(store, tenant) : undefined;
  const model = new ModelStore();
  const pair = { store, model, twin: new Twin(), tenant, hasStatuses, eventsFrom };
  const run = new Run(pair, second, seed);
  const failedAfter = (count: number, difference: string) => ({
    difference,
    steps: steps.slice(0, count),
    calls: run.calls,
  });
  let count = 0;
  try {
    for (const number of steps) {
      count += 1;
      const isTime = count % every === 0;
      const wrong =
        (await run.step(number)) ??
        (isTime ? await checkTenant(pair, run.timeOf(number)) : undefined);
      if (wrong !== undefined) return failedAfter(count, wrong);
    }
    const left = await tidied(pair, run.timeOf(steps.length));
    return left === undefined ? undefined : failedAfter(count, left);
  } catch (error) {
    return failedAfter(count, error instanceof Error ? error.message : String(error));
  }
};

/** Options of `checkRandomCommits`. */
export interface RandomOptions {
  /** The seed of the first sequence; each further one has the next number. */
  readonly from: number;
  /** Maximum number of sequences. */
  readonly sequences: number;
  /** Number of steps of each sequence. */
  readonly steps: number;
  /** Maximum milliseconds; at least one sequence runs. */
  readonly maxMs: number;
}

/** Time for shrinking a failure before it is reported, in milliseconds. */
const SHRINK_MS = 2000;

const reportOf = (seed: number, { difference, calls }: Failure): string =>
  withShortTimes(
    [
      `after the last of these calls, the store differs from the model: ${difference}`,
      ...calls,
      `To repeat them: from: ${seed}, sequences: 1. Odd calls are those of the second store.`,
      'Times are milliseconds since noon of 2026-01-31. Positions and versions are those of the',
      'model. States are shown by what changes.',
    ].join('\n'),
  );

/**
 * Makes sequences of random commits on an empty store and on a model of the port, and compares all
 * reads. Rejects with an `Error` at the first difference: it contains the seed and the shortest
 * calls that lead there. Every sequence uses a tenant of its own and removes its sessions.
 *
 * @example
 * ```ts
 * const subject = { store, second: store, hasStatuses: true };
 * await checkRandomCommits(subject, { from: 1, sequences: 1000, steps: 60, maxMs: 60_000 });
 * ```
 */
export const checkRandomCommits = async (
  subject: RandomSubject,
  { from, sequences, steps: length, maxMs }: RandomOptions,
): Promise<void> => {
  const began = performance.now();
  let runs = 0;
  const run = (seed: number, steps: readonly number[], every: number) => {
    runs += 1;
    return runPart(subject, { seed, steps, every, tenant: `random-${seed}-${runs}` });
  };
  const all = upTo(length).map((step) => step + 1);
  for (let seed = from; seed < from + sequences; seed += 1) {
    const failure = await run(seed, all, 10);
    if (failure !== undefined) {
      const until = performance.now() + SHRINK_MS;
      const rerun = (steps: readonly number[]) => run(seed, steps, steps.length);
      const smallest = await shrink(failure, rerun, () => performance.now() < until);
      throw new Error(reportOf(seed, smallest));
    }
    if (performance.now() - began > maxMs) return;
  }
};
