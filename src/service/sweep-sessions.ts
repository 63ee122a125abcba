import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from '../session/clock.js';
import type { StoreError, SweepError } from '../session/errors.js';
import { endByClock, endsAt } from '../session/state-at.js';
import type { DueEnds } from '../store/end-queue.js';
import type { DueSession, Rescheduling, SessionKey } from '../store/session-store.js';
import type { Sweep } from './operation-results.js';
import { replaceState } from './replace-state.js';
import { type OnEnded, RETRY_AFTER_MS, reportEnd } from './report-end.js';
import type { Settings } from './settings.js';
import type { SweepOutcome } from './sweep-outcome.js';

/** Options of `sweep`. */
export interface SweepOptions {
  /**
   * Called for each session that has ended for any reason, unless it was created with `reportEnds: false`: at least
   * once, by one of the sweeping processes, and for at most 64 sessions at the same time. May be asynchronous. If it
   * throws, rejects or takes longer than a minute, or if its process dies, some sweeping process calls its own
   * `onEnded` again, a minute later or more. Default: ends stay in the store until a sweep with `onEnded`.
   */
  readonly onEnded?: OnEnded | undefined;
  /** The `next` of the previous sweep, to continue after it. Default: from the beginning. */
  readonly after?: string | undefined;
}

/** Maximum number of sessions that a sweep processes at the same time. */
const MAX_CONCURRENT = 64;

/** A due session, and the input to process it. */
interface SweepTask {
  readonly settings: Settings;
  readonly key: SessionKey;
  readonly dueAt: number;
  readonly now: number;
}

const unchanged: SweepOutcome = { isDone: false };

const move = async ({ settings, key }: SweepTask, rescheduling: Rescheduling): Promise<SweepOutcome> => {
  const moved = await settings.store.reschedule(key, rescheduling);
  return moved.isErr() ? { isDone: false, failed: moved.error } : { isDone: moved.value === 'moved' };
};

/** Handles a store error. A damaged session is postponed, and only the sweep that postpones it returns the error. */
const postpone = async (task: SweepTask, error: StoreError): Promise<SweepOutcome> => {
  if (error.type !== 'corrupt_record') return { isDone: false, failed: error };
  const { dueAt, now } = task;
  const seen = await move(task, { from: dueAt, to: now + RETRY_AFTER_MS, isDamaged: true });
  return seen.isDone ? { isDone: true, failed: error } : seen;
};

/** Ends or deletes one due session. */
const processSession = async (task: SweepTask): Promise<SweepOutcome> => {
  const { settings, key, dueAt, now } = task;
  const { store } = settings;
  const found = await store.findState(key);
  if (found.isErr()) return postpone(task, found.error);
  const current = found.value;
  if (current === undefined) return move(task, { from: dueAt, to: Number.POSITIVE_INFINITY });
  const next = endByClock(current, now);
  if (next !== undefined) {
    const replaced = await replaceState(settings, key, { previous: current, decided: next });
    if (replaced.isErr()) return postpone(task, replaced.error);
    // Another process has changed the session.
    if (replaced.value.outcome !== 'replaced') return unchanged;
    return { isDone: true, ended: { ...key, endReason: next.endReason, endedAt: timestampOf(next.since) } };
  }
  if (now < endsAt(current)) return move(task, { from: dueAt, to: endsAt(current) });
  const removed = await store.remove(key, { revision: current.revision, now });
  if (removed.isErr()) return postpone(task, removed.error);
  return removed.value === 'removed' ? { isDone: true, deleted: key } : unchanged;
};

/** Processes all items, at most `MAX_CONCURRENT` at the same time. */
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

const noEnds: DueEnds = { ends: [], failed: [], hasMore: false };

/**
 * Sweeps the sessions of all tenants: ends those whose deadline has passed, deletes those whose retention is over, and
 * then reports ends; at most `limit` sessions and `limit` ends. The store finds them by their times, without a scan of
 * all sessions.
 */
export const sweepSessions = async (
  settings: Settings,
  { limit, onEnded, after }: SweepOptions & { readonly limit: number },
): Promise<Result<Sweep, SweepError>> => {
  const { store } = settings;
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const now = time.value;
  const due = await store.due(now, limit, after);
  if (due.isErr()) return err(due.error);
  const processed = await processAll(due.value.sessions, ({ tenant, id, dueAt }: DueSession) =>
    processSession({ settings, key: { tenant, id }, dueAt, now }),
  );
  const ends = onEnded === undefined ? ok(noEnds) : await store.ends.due(now, limit, after);
  const { ends: unreported, failed, hasMore } = ends.unwrapOr(noEnds);
  const reports =
    onEnded === undefined ? [] : await processAll(unreported, (end) => reportEnd(settings, end, onEnded, now));
  const all = [...processed, ...reports];
  const { next } = due.value;
  return ok({
    ended: all.flatMap(({ ended = [] }) => ended),
    reported: all.flatMap(({ reported = [] }) => reported),
    deleted: all.flatMap(({ deleted = [] }) => deleted),
    failed: [
      ...due.value.failed,
      ...failed,
      ...(ends.isErr() ? [ends.error] : []),
      ...all.flatMap(({ failed: failure = [] }) => failure),
    ],
    isFull:
      (due.value.hasMore && processed.some(({ isDone }) => isDone)) ||
      (hasMore && reports.some(({ isDone }) => isDone)),
    ...(next !== undefined && { next }),
  });
};
