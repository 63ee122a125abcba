import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { changeDetailOf } from '../session/event-detail.js';
import type { PendingReport, StateRecord } from '../session/session-record.js';
import type { DueKey, LiveLimit, Replaced } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** The states of a change: the one that was read, and what was decided from it. */
export interface StateChange<S extends StateRecord> {
  readonly previous: StateRecord;
  readonly decided: S;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly now: number;
}

/** The state with a revision of its own if it was stored, or why it was not. */
export type ReplacedState<S extends StateRecord> =
  | { readonly outcome: 'replaced'; readonly state: S }
  | { readonly outcome: Exclude<Replaced, 'replaced'> };

/** The report of an end that is stored now, if the deployment reports ends. */
const reportOf = async (
  { store }: Settings,
  { previous, decided }: StateChange<StateRecord>,
): Promise<Result<PendingReport | undefined, StoreError>> => {
  const isEnd = previous.status !== 'TERMINATED' && decided.status === 'TERMINATED';
  if (!isEnd || decided.report !== undefined) return ok(decided.report);
  const reports = await store.reportsEnds();
  return reports.map((isReported) => (isReported ? { dueAt: decided.since } : undefined));
};

/** Stores a state with its event, if the state that it was decided from is still the stored one. */
export const replaceState = async <S extends StateRecord>(
  settings: Settings,
  key: DueKey,
  change: StateChange<S>,
  cap?: LiveLimit,
): Promise<Result<ReplacedState<S>, StoreError>> => {
  const { store, revision } = settings;
  const { previous, decided, now } = change;
  const report = await reportOf(settings, change);
  if (report.isErr()) return err(report.error);
  const state: S = {
    ...decided,
    revision: revision(),
    ...(report.value && { report: report.value }),
  };
  // Stores in memory keep it as it is: a copy would have a hidden class of its own in V8.
  Object.freeze(state);
  const event = changeDetailOf(previous, state, now);
  const replaced = await store.replace(key, previous, state, { event, cap });
  return replaced.map((outcome) => {
    if (outcome === 'replaced') return { outcome, state };
    return { outcome };
  });
};
