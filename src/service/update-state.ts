import { err, ok, type Result } from 'neverthrow';
import { planReplace, type Replacement } from '../plan/replace.js';
import {
  type Conflict,
  conflict,
  type InvalidInput,
  type NotFound,
  notFound,
  type StoreError,
} from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { PendingReport, StateRecord } from '../session/session-record.js';
import { endByClock } from '../session/time-limits.js';
import type { Changed, DueKey, LiveLimit, Refusal, SessionKey } from '../store/session-store.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

/** A change that was made, or whose message or operation was stored before. */
export type Made = Exclude<Changed, Refusal>;

/** A state to store, with what else must hold and changes in the same step. */
type Change<S extends StateRecord> = Replacement & { readonly state: S };

export type ReplacedState<S extends StateRecord> =
  | { readonly outcome: 'replaced'; readonly state: S; readonly changed: Made }
  /** Another caller has stored another state since, or has removed the session. */
  | { readonly outcome: 'stale'; readonly stored?: StateRecord }
  | Refusal;

/** The report of an end that is stored now, if the deployment reports ends. */
const reportOf = async (
  { store, revision }: Settings,
  { previous, state }: Replacement,
): Promise<Result<PendingReport | undefined, StoreError>> => {
  const isEnd = previous.status !== 'TERMINATED' && state.status === 'TERMINATED';
  if (!isEnd || state.report !== undefined) return ok(state.report);
  const reports = await store.reportsEnds();
  return reports.map((isReported) =>
    isReported ? { removal: String(revision()), dueAt: state.since } : undefined,
  );
};

const replacedOf = <S extends StateRecord>(
  changed: Changed,
  state: S,
  isStep: boolean,
): ReplacedState<S> => {
  if (changed.outcome === 'made' || (isStep && changed.outcome === 'repeated'))
    return { outcome: 'replaced', state, changed };
  if (changed.outcome === 'refused') {
    if (changed.guard === 'present') return { outcome: 'stale' };
    if (changed.guard === 'revision' || changed.guard === 'unusedSince')
      return { outcome: 'stale', stored: changed.state };
    if (isStep) return changed;
  }
  throw contractBroken('change', changed);
};

/** Stores a state with its event, if the state that it was decided from is still the stored one. */
export const replaceState = async <S extends StateRecord>(
  settings: Settings,
  key: DueKey,
  change: Change<S>,
): Promise<Result<ReplacedState<S>, StoreError>> => {
  const { store, revision } = settings;
  const report = await reportOf(settings, change);
  if (report.isErr()) return err(report.error);
  const state: S = {
    ...change.state,
    revision: revision(),
    ...(report.value && { report: report.value }),
  };
  // Stores in memory keep it as it is: a copy would have a hidden class of its own in V8.
  Object.freeze(state);
  const changed = await store.change(planReplace(key, { ...change, state }));
  const isStep = (change.effects ?? change.live) !== undefined;
  return changed.map((outcome) => replacedOf(outcome, state, isStep));
};

/** Milliseconds in which a change may lose more races, as long as the others make progress. */
const RACING_MS = 10_000;

/** Counts lost races. Returns whether to try again after one on this revision, at this time. */
export const raceOf = () => {
  let lost = 0;
  let began: number | undefined;
  let last: number | undefined;
  return ({ revision }: StateRecord, now: number): boolean => {
    lost += 1;
    began ??= now;
    const isProgress = revision !== last;
    last = revision;
    return lost < MAX_RACES || (isProgress && now - began < RACING_MS);
  };
};

/** The known state, or else the stored one; then the time, which may pass during the read. */
export const readState = async (
  { store, now }: Settings,
  key: SessionKey,
  known?: StateRecord,
): Promise<
  Result<{ readonly current: StateRecord; readonly now: number }, NotFound | StoreError>
> => {
  const found = known === undefined ? await store.findState(key) : ok(known);
  if (found.isErr()) return err(found.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  if (found.value === undefined) return err(notFound(key.id));
  return ok({ current: found.value, now: time.value });
};

/** A decision about a state; a promise only if a function of the host has to be waited for. */
export type Decision<S, E> = Result<S, E> | Promise<Result<S, E>>;

/** What a decision makes of a session. The same state without effects changes nothing. */
export interface Step<E, S extends StateRecord = StateRecord>
  extends Omit<Change<S>, 'previous' | 'now'> {
  /** The error of a guard of this step that does not hold. */
  readonly refused?: (refusal: Refusal) => E | undefined;
}

/**
 * Decides on a step. A state that is a guess (`isGuess`) is the one that this process wrote last:
 * appends may have moved its `lastActivityAt` since.
 */
export type Decide<E, S extends StateRecord = StateRecord> = (
  current: StateRecord,
  now: number,
  isGuess: boolean,
) => Decision<Step<E, S>, E>;

export interface Stepped<S extends StateRecord = StateRecord> {
  /** The next state. With an outcome `repeated`, it was not stored. */
  readonly state: S;
  readonly now: number;
  /** Undefined if there was nothing to change. */
  readonly changed: Made | undefined;
}

const changes = (step: Step<unknown>, current: StateRecord): boolean =>
  step.state !== current || step.effects !== undefined;

const refusalOf = <E>({ refused }: Step<E>, refusal: Refusal): E => {
  const error = refused?.(refusal);
  if (error === undefined) throw contractBroken('change', refusal);
  return error;
};

/**
 * Makes the step that `decide` returns. The store makes it only if the stored state is still the
 * one that was read or that this process wrote last; otherwise `decide` is called again with the
 * stored one, and so it is after a guess that would change nothing.
 */
export const makeStep = async <S extends StateRecord, E>(
  settings: Settings,
  key: SessionKey,
  decide: Decide<E, S>,
): Promise<Result<Stepped<S>, E | NotFound | Conflict | StoreError>> => {
  const { recentStates } = settings;
  const mayRace = raceOf();
  let known = recentStates.take(key);
  let isGuess = known !== undefined;
  for (;;) {
    const read = await readState(settings, key, known);
    if (read.isErr()) return err(read.error);
    const { current, now } = read.value;
    const wasGuess = isGuess;
    isGuess = false;
    known = undefined;
    // Appends may have moved the end by inactivity.
    if (wasGuess && endByClock(current, now) !== undefined) continue;
    const decision = decide(current, now, wasGuess);
    const decided = decision instanceof Promise ? await decision : decision;
    const isChange = decided.isOk() && changes(decided.value, current);
    if (wasGuess && !isChange) continue;
    if (decided.isErr()) return err(decided.error);
    const step = decided.value;
    if (!isChange) return ok({ state: step.state, now, changed: undefined });
    const answer = await replaceState(settings, key, { ...step, previous: current, now });
    if (answer.isErr()) return err(answer.error);
    const replaced = answer.value;
    if (replaced.outcome === 'replaced') {
      const { state, changed } = replaced;
      if (changed.outcome === 'made') recentStates.add(key, state);
      return ok({ state, now, changed });
    }
    if (replaced.outcome === 'refused') return err(refusalOf(step, replaced));
    known = replaced.stored;
    if (!mayRace(current, now)) return err(conflict(key.id));
  }
};

export interface LiveCap<E> {
  readonly sessions: LiveLimit['sessions'];
  readonly error: E;
}

export const updateState = <S extends StateRecord, E>(
  settings: Settings,
  key: SessionKey,
  decide: (...given: Parameters<Decide<E, S>>) => Decision<S, E>,
  cap?: LiveCap<E>,
): ReturnType<typeof makeStep<S, E>> =>
  makeStep(settings, key, (current, now, isGuess) => {
    const stepTo = (state: S): Step<E, S> => ({
      state,
      live: cap && { sessions: cap.sessions, now },
      refused: ({ guard }) => (guard === 'live' ? cap?.error : undefined),
    });
    const decided = decide(current, now, isGuess);
    if (decided instanceof Promise) return decided.then((later) => later.map(stepTo));
    return decided.map(stepTo);
  });

/** Replaces the state as a checked input says. Returns what `shown` makes of it. */
export const decideState = async <I, S extends StateRecord, E, V>(
  settings: Settings,
  key: SessionKey,
  input: Result<I, InvalidInput>,
  decide: (current: StateRecord, input: I, now: number) => Result<S, E>,
  shown: (state: S) => V,
): Promise<Result<V, E | InvalidInput | NotFound | Conflict | StoreError>> => {
  if (input.isErr()) return err(input.error);
  const updated = await updateState<S, E>(settings, key, (current, now) =>
    decide(current, input.value, now),
  );
  return updated.map(({ state }) => shown(state));
};
