import { err, ok, type Result } from 'neverthrow';
import { type ListenerFailed, listenerFailed, type StoreError, type SweepError, type SweepFailure } from '../errors.js';
import { timestampOf } from '../session/clock.js';
import type { EndedState } from '../session/session-record.js';
import { endByClock, isEndByClock } from '../session/timeline.js';
import type { DueSession, Rescheduling, SessionKey } from '../store/session-store.js';
import type { Sweep, SweptSession } from './operation-results.js';
import type { Settings } from './settings.js';

/** Options of `sweep`. */
export interface SweepOptions {
  /**
   * Called for each session that the clock has ended, at least once, by one of the sweeping processes, and for at most
   * 64 sessions at the same time. May be asynchronous. If it throws, rejects or takes longer than a minute, or if its
   * process dies, any sweeping process calls it again a minute later or more.
   */
  readonly onEnded?: ((session: SweptSession) => unknown) | undefined;
  /** The `next` of the previous sweep, to continue after it. Default: from the beginning. */
  readonly after?: string | undefined;
}

/** Maximum number of sessions that a sweep processes at the same time. */
const MAX_CONCURRENT = 64;

/** Milliseconds that a claimed end or a damaged session is put off, and timeout of `onEnded`. */
const RETRY_AFTER_MS = 60_000;

/** A due session with what is needed to process it. */
interface SweepTask {
  readonly settings: Settings;
  readonly key: SessionKey;
  readonly dueAt: number;
  readonly now: number;
  readonly onEnded: SweepOptions['onEnded'];
}

/** The result of processing one session. */
interface Processed {
  /** Whether this sweep has moved or removed the session, so that it is not due now. */
  readonly isDone: boolean;
  readonly ended?: SweptSession;
  readonly deleted?: SessionKey;
  readonly failed?: SweepFailure;
}

const unchanged: Processed = { isDone: false };

const move = async ({ settings, key }: SweepTask, rescheduling: Rescheduling): Promise<Processed> => {
  const moved = await settings.store.reschedule(key, rescheduling);
  return moved.isErr() ? { isDone: false, failed: moved.error } : { isDone: moved.value === 'moved' };
};

/** Handles a store error. A damaged session is put off, and only the sweep that puts it off reports it. */
const postpone = async (visit: SweepTask, error: StoreError): Promise<Processed> => {
  if (error.type !== 'corrupt_record') return { isDone: false, failed: error };
  const { dueAt, now } = visit;
  const seen = await move(visit, { from: dueAt, to: now + RETRY_AFTER_MS, isDamaged: true });
  return seen.isDone ? { isDone: true, failed: error } : seen;
};

const callOnEnded = async (
  onEnded: NonNullable<SweepOptions['onEnded']>,
  session: SweptSession,
): Promise<ListenerFailed | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('onEnded has taken longer than a minute')), RETRY_AFTER_MS);
    timer.unref?.();
  });
  try {
    await Promise.race([(async () => onEnded(session))(), tooLong]);
    return undefined;
  } catch (cause) {
    return listenerFailed(session.id, cause);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Calls `onEnded` for a stored end, and makes the session due at the end of its retention. First one sweep claims the
 * session: it puts it off for a minute, which only one sweep can do. If that sweep fails, the session is due again
 * after the minute.
 */
const reportEnd = async (visit: SweepTask, state: EndedState): Promise<Processed> => {
  const { settings, key, dueAt } = visit;
  const { endReason, since, deadline } = state;
  const ended = isEndByClock(state) ? { ...key, endReason, endedAt: timestampOf(since) } : undefined;
  const onEnded = ended && visit.onEnded;
  let from = dueAt;
  if (ended !== undefined && onEnded !== undefined) {
    const until = settings.now().unwrapOr(visit.now) + RETRY_AFTER_MS;
    // A session that is due exactly at the end of its retention counts as reported.
    from = until === deadline ? until + 1 : until;
    const claimed = await move(visit, { from: dueAt, to: from });
    if (!claimed.isDone) return claimed;
    const failed = await callOnEnded(onEnded, ended);
    if (failed !== undefined) return { isDone: true, failed };
  }
  const settled = await move(visit, { from, to: deadline });
  const isReported = settled.isDone || onEnded !== undefined;
  return ended !== undefined && isReported ? { ...settled, isDone: true, ended } : settled;
};

/** Ends, reports or deletes one due session. */
const processSession = async (visit: SweepTask): Promise<Processed> => {
  const { settings, key, dueAt, now } = visit;
  const { store, retentionMs } = settings;
  const found = await store.findState(key);
  if (found.isErr()) return postpone(visit, found.error);
  const current = found.value;
  if (current === undefined) return move(visit, { from: dueAt, to: Number.POSITIVE_INFINITY });
  const next = endByClock(current, now, retentionMs);
  if (next !== undefined) {
    const replaced = await store.replace(key, next);
    if (replaced.isErr()) return postpone(visit, replaced.error);
    // Another process has changed the session. The rest of the work stays due.
    if (replaced.value !== 'replaced') return unchanged;
  }
  const state = next ?? current;
  if (state.status !== 'TERMINATED') return move(visit, { from: dueAt, to: state.deadline });
  const isSettled = dueAt === state.deadline;
  if (now < state.deadline && isSettled) return unchanged;
  if (now < state.deadline || (!isSettled && isEndByClock(state))) return reportEnd(visit, state);
  const removed = await store.remove(key, { revision: state.revision, now });
  if (removed.isErr()) return postpone(visit, removed.error);
  return removed.value === 'removed' ? { isDone: true, deleted: key } : unchanged;
};

const processAll = async (
  sessions: readonly DueSession[],
  visitOf: (session: DueSession) => SweepTask,
): Promise<readonly Processed[]> => {
  const all: Processed[] = [];
  const queue = sessions.values();
  const work = async () => {
    for (const session of queue) all.push(await processSession(visitOf(session)));
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  return all;
};

/**
 * Processes the due sessions of all tenants, at most `limit`: ends those whose deadline has passed, reports the ends,
 * and deletes those whose retention is over. The store finds them by deadline, without a scan of all sessions.
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
  const { sessions, hasMore, next } = due.value;
  const taskOf = ({ tenant, id, dueAt }: DueSession): SweepTask => ({
    settings,
    key: { tenant, id },
    dueAt,
    now,
    onEnded,
  });
  const seen = await processAll(sessions, taskOf);
  return ok({
    ended: seen.flatMap(({ ended = [] }) => ended),
    deleted: seen.flatMap(({ deleted = [] }) => deleted),
    failed: [...due.value.failed, ...seen.flatMap(({ failed = [] }) => failed)],
    isFull: hasMore && seen.some(({ isDone }) => isDone),
    ...(next !== undefined && { next }),
  });
};
