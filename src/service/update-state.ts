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
import { stateAt } from '../session/state-at.js';
import type {
  Answer,
  Changed,
  DueKey,
  LiveLimit,
  Refusal,
  SessionKey,
} from '../store/session-store.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

/** The states of a change: the one that was read, and what was decided from it. */
export interface DecidedState<S extends StateRecord> {
  readonly previous: StateRecord;
  readonly decided: S;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** What else must hold, and what else changes in the same step. */
  readonly step?: Pick<Replacement, 'guards' | 'effects'> | undefined;
}

/** A change that was made, or whose message was sent before. */
export type Made = Exclude<Changed, Refusal>;

/** The state with a revision of its own if it was stored, or why it was not. */
export type ReplacedState<S extends StateRecord> =
  | { readonly outcome: 'replaced'; readonly state: S; readonly changed: Made }
  /** `stored` is the state that another caller has stored since. */
  | { readonly outcome: 'stale'; readonly stored: StateRecord }
  | { readonly outcome: 'missing' | 'too_many' }
  /** By a guard of the step. */
  | { readonly outcome: 'refused'; readonly refusal: Refusal };

/** The report of an end that is stored now, if the deployment reports ends. */
const reportOf = async (
  { store, revision }: Settings,
  { previous, decided }: DecidedState<StateRecord>,
): Promise<Result<PendingReport | undefined, StoreError>> => {
  const isEnd = previous.status !== 'TERMINATED' && decided.status === 'TERMINATED';
  if (!isEnd || decided.report !== undefined) return ok(decided.report);
  const reports = await store.reportsEnds();
  return reports.map((isReported) => {
    if (!isReported) return undefined;
    return { removal: String(revision()), dueAt: decided.since };
  });
};

const replacedOf = <S extends StateRecord>(
  changed: Changed,
  state: S,
  isStep: boolean,
): ReplacedState<S> => {
  if (changed.outcome === 'made' || (isStep && changed.outcome === 'repeated'))
    return { outcome: 'replaced', state, changed };
  if (changed.outcome === 'refused') {
    const { guard } = changed;
    if (guard === 'present') return { outcome: 'missing' };
    if (guard === 'live') return { outcome: 'too_many' };
    if (guard === 'revision' || guard === 'unusedSince')
      return { outcome: 'stale', stored: changed.state };
    if (isStep) return { outcome: 'refused', refusal: changed };
  }
  throw contractBroken('change', changed);
};

/** Stores a state with its event, if the state that it was decided from is still the stored one. */
export const replaceState = async <S extends StateRecord>(
  settings: Settings,
  key: DueKey,
  change: DecidedState<S>,
  live?: LiveLimit,
): Promise<Result<ReplacedState<S>, StoreError>> => {
  const { store, revision } = settings;
  const { previous, decided, now, step } = change;
  const { guards, effects } = step ?? {};
  const report = await reportOf(settings, change);
  if (report.isErr()) return err(report.error);
  const state: S = {
    ...decided,
    revision: revision(),
    ...(report.value && { report: report.value }),
  };
  // Stores in memory keep it as it is: a copy would have a hidden class of its own in V8.
  Object.freeze(state);
  const changed = await store.change(
    planReplace(key, { previous, state, now, live, guards, effects }),
  );
  return changed.map((outcome) => replacedOf(outcome, state, step !== undefined));
};

/** Milliseconds in which a change may lose more races, as long as the others make progress. */
const RACING_MS = 10_000;

/** Counts lost races. Returns whether to try again after one on this revision, at this time. */
const raceOf = () => {
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

export interface UpdatedState<S extends StateRecord> {
  readonly state: S;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether the state was replaced. */
  readonly isChanged: boolean;
}

/** A limit on the live sessions of the tenant, and the error if it is exceeded. */
export interface LiveCap<E> {
  readonly sessions: LiveLimit['sessions'];
  readonly error: E;
}

/** The state that is known, or else the stored one, and then the time: it may pass while it is read. */
const readState = async (
  { store, now }: Settings,
  key: SessionKey,
  known: StateRecord | undefined,
): Promise<
  Result<{ readonly current: StateRecord; readonly time: number }, NotFound | StoreError>
> => {
  const found = known === undefined ? await store.findState(key) : ok(known);
  if (found.isErr()) return err(found.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  if (found.value === undefined) return err(notFound(key.id));
  return ok({ current: found.value, time: time.value });
};

/** A decision about a state; a promise only if a function of the host has to be waited for. */
export type Decision<S, E> = Result<S, E> | Promise<Result<S, E>>;

/**
 * Replaces the state with the result of `decide`. The store writes it only if the stored state is
 * still the one that was read or that this process wrote last; otherwise `decide` is called again
 * with the stored one. If `decide` returns the same state, nothing is written. The state
 * that this process wrote last is a guess (`isGuess`): an error that is decided from it is decided
 * again on the stored state, and appends may have moved its `lastActivityAt` since.
 */
export const updateState = async <S extends StateRecord, E>(
  settings: Settings,
  key: SessionKey,
  decide: (current: StateRecord, now: number, isGuess: boolean) => Decision<S, E>,
  cap?: LiveCap<E>,
): Promise<Result<UpdatedState<S>, E | NotFound | Conflict | StoreError>> => {
  const { recentStates } = settings;
  let known = recentStates.take(key);
  let isGuess = known !== undefined;
  const mayRace = raceOf();
  for (;;) {
    const read = await readState(settings, key, known);
    known = undefined;
    if (read.isErr()) return err(read.error);
    const { current, time } = read.value;
    const decision = decide(current, time, isGuess);
    const decided = decision instanceof Promise ? await decision : decision;
    const wasGuess = isGuess;
    isGuess = false;
    if (wasGuess && (decided.isErr() || decided.value === current)) continue;
    if (decided.isErr()) return err(decided.error);
    if (decided.value === current) {
      return ok({ state: decided.value, now: time, isChanged: false });
    }
    const states = { previous: current, decided: decided.value, now: time };
    const limit = cap && { sessions: cap.sessions, now: time };
    const answer = await replaceState(settings, key, states, limit);
    if (answer.isErr()) return err(answer.error);
    const replaced = answer.value;
    if (replaced.outcome === 'replaced') {
      recentStates.add(key, replaced.state);
      return ok({ state: replaced.state, now: time, isChanged: true });
    }
    if (replaced.outcome === 'missing') return err(notFound(key.id));
    if (replaced.outcome === 'too_many' && cap !== undefined) return err(cap.error);
    if (replaced.outcome === 'stale') known = replaced.stored;
    if (!mayRace(current, time)) return err(conflict(key.id));
  }
};

/** What a decision makes of a session, in one step. */
export interface Step<S extends StateRecord, E> extends Pick<Replacement, 'guards' | 'effects'> {
  readonly state: S;
  /** The error of a guard that does not hold. */
  readonly refused: (refusal: Refusal) => E;
}

/** Decides on a step; undefined if there is nothing to do. */
export type Decide<E> = (
  current: StateRecord,
  now: number,
) => Answer<Step<StateRecord, E> | undefined, E>;

/** A step that was made. */
export interface Stepped {
  /** The next state. With an outcome `repeated`, it was not stored. */
  readonly state: StateRecord;
  readonly changed: Made;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Makes the step that `decide` returns, if the stored state is still the one that it was decided
 * from; otherwise decides again. Undefined if there is nothing to do. Guesses as `updateState` does.
 */
export const makeStep = async <E>(
  settings: Settings,
  key: SessionKey,
  decide: Decide<E>,
): Promise<Result<Stepped | undefined, E | NotFound | Conflict | StoreError>> => {
  const { recentStates } = settings;
  let known = recentStates.take(key);
  let isGuess = known !== undefined;
  const mayRace = raceOf();
  for (;;) {
    const read = await readState(settings, key, known);
    if (read.isErr()) return err(read.error);
    const { current, time } = read.value;
    const decided = await decide(current, time);
    // Uses since then may have postponed an end by inactivity.
    const isOver = isGuess && stateAt(current, time).status === 'TERMINATED';
    const isDoubtful = isGuess && (isOver || decided.isErr() || decided.value === undefined);
    isGuess = false;
    known = undefined;
    if (isDoubtful) continue;
    if (decided.isErr()) return err(decided.error);
    const step = decided.value;
    if (step === undefined) return ok(undefined);
    const change = { previous: current, decided: step.state, now: time, step };
    const answer = await replaceState(settings, key, change);
    if (answer.isErr()) return err(answer.error);
    const replaced = answer.value;
    if (replaced.outcome === 'replaced') {
      if (replaced.changed.outcome === 'made') recentStates.add(key, replaced.state);
      return ok({ state: replaced.state, changed: replaced.changed, now: time });
    }
    if (replaced.outcome === 'missing') return err(notFound(key.id));
    if (replaced.outcome === 'refused') return err(step.refused(replaced.refusal));
    if (replaced.outcome === 'stale') known = replaced.stored;
    if (!mayRace(current, time)) return err(conflict(key.id));
  }
};

/** Replaces the state as a checked input says; see `updateState`. Returns the state. */
export const decideState = async <I, S extends StateRecord, E>(
  settings: Settings,
  key: SessionKey,
  input: Result<I, InvalidInput>,
  decide: (current: StateRecord, input: I, now: number) => Result<S, E>,
): Promise<Result<S, E | InvalidInput | NotFound | Conflict | StoreError>> => {
  if (input.isErr()) return err(input.error);
  const updated = await updateState<S, E>(settings, key, (current, now) =>
    decide(current, input.value, now),
  );
  return updated.map(({ state }) => state);
};
