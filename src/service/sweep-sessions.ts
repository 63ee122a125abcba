import { err, ok, type Result } from 'neverthrow';
import { type ListenerFailed, listenerFailed, type StoreError, type SweepError, type SweepFailure } from '../errors.js';
import { timestampOf } from '../session/clock.js';
import type { EndedState } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';
import { endByClock, isEndByClock } from '../session/timeline.js';
import type { DueSession, Rescheduling, SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** A session that the clock has ended. */
export interface SweptSession extends SessionKey {
  readonly endReason: EndReason;
  /** When it ended, however late it was noticed: RFC 3339, UTC, milliseconds. */
  readonly endedAt: string;
}

export interface SweepOptions {
  /**
   * Told of every session that the clock has ended, at least once, by one of the processes that sweep, and up to 64
   * sessions at a time. It may be asynchronous. Where it throws, rejects or takes longer than a minute, or its process
   * dies, the end is told again, a minute later or more, by any process.
   */
  readonly onEnded?: ((session: SweptSession) => unknown) | undefined;
  /** The `next` of the sweep before, to go on where that has stopped. Default: from the beginning. */
  readonly after?: string | undefined;
}

/** What one sweep has done. */
export interface Sweep {
  /** Sessions that the clock has ended and whose end is settled: written down, and told where there is an `onEnded`. */
  readonly ended: readonly SweptSession[];
  /** Sessions whose retention was over; they are gone. */
  readonly deleted: readonly SessionKey[];
  /** Why sessions could not be seen to; they are still due. Damaged ones come up again a minute later. */
  readonly failed: readonly SweepFailure[];
  /** How many earlier deletions have nothing left in the store now, where it keeps something of them for a while. */
  readonly purged: number;
  /** Whether there is more to do at once: more was due than was asked for, and something of it was done. */
  readonly isFull: boolean;
  /** Where the next sweep goes on; nothing where this one has looked at the last part of the store. */
  readonly next?: string;
}

/** How many sessions are seen to at once. */
const LANES = 64;

/** For how long an end that is being told, or a damaged session, does not come up again, in milliseconds. */
const APART_MS = 60_000;

/** A session that is due, and what it takes to see to it. */
interface Visit {
  readonly settings: Settings;
  readonly key: SessionKey;
  readonly dueAt: number;
  readonly now: number;
  readonly onEnded: SweepOptions['onEnded'];
}

/** What a visit has come to. */
interface Seen {
  /** Whether the session is not due any more, at least for a while, by what this visit has done. */
  readonly isDone: boolean;
  readonly ended?: SweptSession;
  readonly deleted?: SessionKey;
  readonly failed?: SweepFailure;
}

const notDone: Seen = { isDone: false };

const move = async ({ settings, key }: Visit, rescheduling: Rescheduling): Promise<Seen> => {
  const moved = await settings.store.reschedule(key, rescheduling);
  return moved.isErr() ? { isDone: false, failed: moved.error } : { isDone: moved.value === 'moved' };
};

/** What cannot be done now. A damaged session is told of by whoever puts it off. */
const putOff = async (visit: Visit, error: StoreError): Promise<Seen> => {
  if (error.type !== 'corrupt_record') return { isDone: false, failed: error };
  const { dueAt, now } = visit;
  const seen = await move(visit, { from: dueAt, to: now + APART_MS, isDamaged: true });
  return seen.isDone ? { isDone: true, failed: error } : seen;
};

const tell = async (
  onEnded: NonNullable<SweepOptions['onEnded']>,
  session: SweptSession,
): Promise<ListenerFailed | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('onEnded has taken longer than a minute')), APART_MS);
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
 * Tells of an end that is written down, and lets the session be due when its retention is over. It is claimed first: put
 * off for a minute by one sweep alone. Whatever becomes of that one, the session is due again after the minute.
 */
const tellEnd = async (visit: Visit, state: EndedState, isNew: boolean): Promise<Seen> => {
  const { settings, key, dueAt } = visit;
  const { endReason, since, deadline } = state;
  const ended = isEndByClock(state) ? { ...key, endReason, endedAt: timestampOf(since) } : undefined;
  const onEnded = ended && visit.onEnded;
  // Whoever wrote the end may have died before its event was written.
  const events = isNew ? undefined : settings.store.events;
  let from = dueAt;
  if (onEnded !== undefined || events !== undefined) {
    const until = settings.now().unwrapOr(visit.now) + APART_MS;
    // What is due at the end of its retention has been told.
    from = until === deadline ? until + 1 : until;
    const claimed = await move(visit, { from: dueAt, to: from });
    if (!claimed.isDone) return claimed;
    const repeated = await events?.repeat(key);
    if (repeated?.isErr()) return { isDone: true, failed: repeated.error };
    const failed = onEnded && (await tell(onEnded, ended));
    if (failed !== undefined) return { isDone: true, failed };
  }
  const settled = await move(visit, { from, to: deadline });
  const isTold = settled.isDone || onEnded !== undefined;
  return ended !== undefined && isTold ? { ...settled, isDone: true, ended } : settled;
};

/** Ends, tells of or deletes one session that is due. */
const see = async (visit: Visit): Promise<Seen> => {
  const { settings, key, dueAt, now } = visit;
  const { store, retentionMs } = settings;
  const found = await store.findState(key);
  if (found.isErr()) return putOff(visit, found.error);
  const current = found.value;
  if (current === undefined) return move(visit, { from: dueAt, to: Number.POSITIVE_INFINITY });
  const next = endByClock(current, now, retentionMs);
  if (next !== undefined) {
    const replaced = await store.replace(key, next);
    if (replaced.isErr()) return putOff(visit, replaced.error);
    // Somebody else was faster; what is left to do comes up again.
    if (replaced.value !== 'replaced') return notDone;
  }
  const state = next ?? current;
  if (state.status !== 'TERMINATED') return move(visit, { from: dueAt, to: state.deadline });
  const isSettled = dueAt === state.deadline;
  if (now < state.deadline && isSettled) return notDone;
  if (now < state.deadline || (!isSettled && isEndByClock(state))) return tellEnd(visit, state, next !== undefined);
  const removed = await store.remove(key, { revision: state.revision, now });
  if (removed.isErr()) return putOff(visit, removed.error);
  return removed.value === 'removed' ? { isDone: true, deleted: key } : notDone;
};

const seeAll = async (
  sessions: readonly DueSession[],
  visitOf: (session: DueSession) => Visit,
): Promise<readonly Seen[]> => {
  const all: Seen[] = [];
  const queue = sessions.values();
  const work = async () => {
    for (const session of queue) all.push(await see(visitOf(session)));
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return all;
};

/**
 * Sees to the sessions of all tenants that are due, at most `limit`: ends those whose time is up, tells of the ends, and
 * deletes those whose retention is over. They are found through the store's deadlines, never by looking at all of them.
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
  const visitOf = ({ tenant, id, dueAt }: DueSession): Visit => ({
    settings,
    key: { tenant, id },
    dueAt,
    now,
    onEnded,
  });
  const seen = await seeAll(sessions, visitOf);
  const purging = await store.purge?.(now, limit, after);
  const purged = purging?.isOk() ? purging.value : 0;
  return ok({
    ended: seen.flatMap(({ ended = [] }) => ended),
    deleted: seen.flatMap(({ deleted = [] }) => deleted),
    failed: [
      ...due.value.failed,
      ...seen.flatMap(({ failed = [] }) => failed),
      ...(purging?.isErr() ? [purging.error] : []),
    ],
    purged,
    isFull: (hasMore || purged >= limit) && (purged > 0 || seen.some(({ isDone }) => isDone)),
    ...(next !== undefined && { next }),
  });
};
