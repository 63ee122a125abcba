import { err, ok, type Result } from 'neverthrow';
import { parseSweep } from '../input/command-inputs.js';
import { planMove } from '../plan/move.js';
import { planRemove } from '../plan/remove.js';
import { timestampOf } from '../session/clock.js';
import { type Misconfigured, misconfigured, type StoreError } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PendingReport, StateRecord } from '../session/session-record.js';
import { dueAtOf, endByClock } from '../session/state-at.js';
import type { DueKey, DueSession } from '../store/session-store.js';
import type { Sweep } from './operation-results.js';
import {
  type OnEnded,
  RETRY_AFTER_MS,
  reportEnd,
  type SweepOutcome,
  withoutReport,
} from './report-end.js';
import type { Settings } from './settings.js';
import { replaceState } from './update-state.js';

/**
 * Options of `sweep`.
 *
 * @example
 * ```ts
 * const reporting = new SessionService({ store: new MemorySessionStore({ reportEnds: true }) });
 * const { id } = await reporting.orThrow.create({ face: 'ada', profile: 'tutor', start: true });
 * await reporting.orThrow.terminate(id);
 * const onEnded = ({ endReason }: EndedSession) => console.log(endReason); // terminated
 * const { nextCursor: cursor } = await reporting.orThrow.sweep(100, { onEnded });
 * if (cursor) await reporting.orThrow.sweep(100, { onEnded, cursor });
 * ```
 */
export interface SweepOptions {
  /**
   * Called for each session that has ended for any reason: at least once, by one of the sweeping
   * processes, and for at most 64 sessions at the same time. May be asynchronous. If it throws,
   * rejects or takes longer than a minute, or if its process dies, some sweeping process calls its
   * own `onEnded` again, a minute later or more. Required if the store has `reportEnds`; otherwise
   * the sweep fails with `misconfigured`.
   */
  readonly onEnded?: OnEnded | undefined;
  /** The `nextCursor` of the previous sweep, to continue after it. Default: from the beginning. */
  readonly cursor?: string | undefined;
}

const MAX_CONCURRENT = 64;

interface SweepTask {
  readonly settings: Settings;
  readonly key: DueKey;
  readonly dueAt: number;
  /** When the sweep began, in milliseconds since the epoch. */
  readonly now: number;
  /** Given if the deployment reports ends. */
  readonly onEnded: OnEnded | undefined;
}

const unchanged: SweepOutcome = { isDone: false };

/** Makes the session due at another time; `state` is undefined for one that cannot be read. */
const move = async (
  { settings, key, dueAt }: SweepTask,
  to: number,
  state?: StateRecord,
): Promise<SweepOutcome> => {
  const commit = planMove(key, { from: dueAt, to }, state);
  if (commit === undefined) return unchanged;
  const moved = await settings.store.change(commit);
  if (moved.isErr()) return { isDone: false, failed: moved.error };
  return { isDone: moved.value.outcome === 'made' };
};

/**
 * Handles a store error. A damaged session is postponed, and only the sweep that postpones it
 * returns the error.
 */
const postpone = async (task: SweepTask, error: StoreError): Promise<SweepOutcome> => {
  if (error.type !== 'corrupt_record') return { isDone: false, failed: error };
  const seen = await move(task, task.now + RETRY_AFTER_MS);
  return { ...seen, ...(seen.isDone && { failed: error }) };
};

/**
 * The report with a claim from the present time on: a sweep may have begun long before it comes to
 * a session.
 */
const claimOf = (
  { settings, now }: SweepTask,
  report: PendingReport | undefined,
): PendingReport => ({
  removal: String(settings.revision()),
  ...report,
  dueAt: settings.now().unwrapOr(now) + RETRY_AFTER_MS,
});

/**
 * Stores a state. Where the deployment reports ends, the state has the claim of this sweep, which
 * then reports the end.
 */
const storeAndReport = async (
  task: SweepTask,
  previous: StateRecord,
  next: StateRecord,
  outcome: Omit<SweepOutcome, 'isDone'> = {},
): Promise<SweepOutcome> => {
  const { settings, key, now, onEnded } = task;
  const report = onEnded && claimOf(task, next.report);
  const decided: StateRecord = { ...next, ...(report && { report }) };
  const replaced = await replaceState(settings, key, { previous, state: decided, now });
  if (replaced.isErr()) return postpone(task, replaced.error);
  if (replaced.value.outcome !== 'replaced') return unchanged;
  if (report === undefined || onEnded === undefined) return { isDone: true, ...outcome };
  const { state } = replaced.value;
  const told = await reportEnd(settings, key, { state, claim: report }, onEnded);
  return { ...told, ...outcome };
};

/** Removes a session whose retention is over, or a report that no process makes. */
const remove = async (task: SweepTask, { revision }: StateRecord): Promise<SweepOutcome> => {
  const { settings, key, now } = task;
  const removed = await settings.store.remove(planRemove(key, now, { revision }));
  if (removed.isErr()) return postpone(task, removed.error);
  if (removed.value.outcome !== 'made') return unchanged;
  if (key.removal !== undefined) return { isDone: true };
  return { isDone: true, deleted: { tenant: key.tenant, id: key.id } };
};

const processSession = async (task: SweepTask): Promise<SweepOutcome> => {
  const { settings, key, now, onEnded } = task;
  const found = await settings.store.findState(key);
  if (found.isErr()) return postpone(task, found.error);
  const state = found.value;
  if (state === undefined) return move(task, Number.POSITIVE_INFINITY);
  const isRemoved = key.removal !== undefined;
  const ended = endByClock(state, now);
  if (ended !== undefined && !isRemoved) {
    const { endReason, since } = ended;
    return storeAndReport(task, state, ended, {
      ended: { ...key, endReason, endedAt: timestampOf(since) },
    });
  }
  if (now < dueAtOf(state)) return move(task, dueAtOf(state), state);
  if (state.report === undefined) return remove(task, state);
  if (onEnded !== undefined) return storeAndReport(task, state, state);
  // The deployment reported ends when the session ended, and no longer does.
  if (isRemoved) return remove(task, state);
  return storeAndReport(task, state, withoutReport(state, state.report));
};

const processAll = async <T>(
  items: readonly T[],
  process: (item: T) => Promise<SweepOutcome>,
): Promise<readonly SweepOutcome[]> => {
  const all: SweepOutcome[] = [];
  const queue = items.values();
  const work = async () => {
    for (const item of queue) all.push(await process(item));
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  return all;
};

/** The error of a sweep that would leave ends unreported, or report ends that are not stored. */
const wrongListener = (
  reports: boolean,
  onEnded: OnEnded | undefined,
): Misconfigured | undefined => {
  if (reports === (onEnded !== undefined)) return undefined;
  if (reports) return misconfigured('the store has reportEnds: every sweep needs an onEnded');
  return misconfigured('onEnded needs a store with the option reportEnds: true');
};

export const sweepSessions = async (
  settings: Settings,
  most: unknown,
  options: unknown,
): Promise<Result<Sweep, OperationErrors['sweep']>> => {
  const { store } = settings;
  const read = parseSweep(most, options);
  if (read.isErr()) return err(read.error);
  const { limit, onEnded, cursor } = read.value;
  const reports = await store.reportsEnds();
  if (reports.isErr()) return err(reports.error);
  const refusal = wrongListener(reports.value, onEnded);
  if (refusal !== undefined) return err(refusal);
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const now = time.value;
  const due = await store.due(now, limit, cursor);
  if (due.isErr()) return err(due.error);
  const { sessions, failed, hasMore, nextCursor } = due.value;
  const all = await processAll(sessions, ({ dueAt, ...key }: DueSession) =>
    processSession({ settings, key, dueAt, now, onEnded }),
  );
  return ok({
    ended: all.flatMap(({ ended = [] }) => ended),
    reported: all.flatMap(({ reported = [] }) => reported),
    deleted: all.flatMap(({ deleted = [] }) => deleted),
    failed: [...failed, ...all.flatMap(({ failed: failure = [] }) => failure)],
    isFull: hasMore && all.some(({ isDone }) => isDone),
    limit,
    ...(nextCursor !== undefined && { nextCursor }),
  });
};
