import { err, ok, type Result } from 'neverthrow';
import { parseSweep } from '../input/command-inputs.js';
import { timestampOf } from '../session/clock.js';
import { type Misconfigured, misconfigured } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PendingReport, StateRecord } from '../session/session-record.js';
import { dueAtOf, endByClock } from '../session/time-limits.js';
import type { DueSession } from '../store/session-store.js';
import { deleteAfterRetention } from './delete-after-retention.js';
import type { Sweep } from './operation-results.js';
import { moveDue, postpone, type SweepTask, unchanged } from './postpone-due.js';
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

const processSession = async (task: SweepTask): Promise<SweepOutcome> => {
  const { settings, key, now, onEnded } = task;
  const found = await settings.store.findState(key);
  if (found.isErr()) return postpone(task, found.error);
  const state = found.value;
  if (state === undefined) return moveDue(task, Number.POSITIVE_INFINITY);
  const isRemoved = key.removal !== undefined;
  const ended = endByClock(state, now);
  if (ended !== undefined && !isRemoved) {
    const { endReason, since } = ended;
    return storeAndReport(task, state, ended, {
      ended: { ...key, endReason, endedAt: timestampOf(since) },
    });
  }
  if (now < dueAtOf(state)) return moveDue(task, dueAtOf(state), state);
  if (state.report === undefined) return deleteAfterRetention(task, state);
  if (onEnded !== undefined) return storeAndReport(task, state, state);
  // The deployment reported ends when the session ended, and no longer does.
  if (isRemoved) return deleteAfterRetention(task, state);
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
