import { type EndedSession, endedSessionOf } from '../session/ended-session.js';
import { type ListenerFailed, listenerFailed } from '../session/errors.js';
import type { UnreportedEnd } from '../store/end-queue.js';
import type { Settings } from './settings.js';
import type { SweepOutcome } from './sweep-outcome.js';

/** Milliseconds before another sweep may process a claimed or postponed item, and timeout of `onEnded`. */
export const RETRY_AFTER_MS = 60_000;

/** Called for each end that must be reported. */
export type OnEnded = (session: EndedSession) => unknown;

const callOnEnded = async (
  { after }: Settings,
  onEnded: OnEnded,
  session: EndedSession,
): Promise<ListenerFailed | undefined> => {
  let cancel = (): void => undefined;
  const tooLong = new Promise<never>((_, reject) => {
    cancel = after(RETRY_AFTER_MS, () => reject(new Error('onEnded has taken longer than a minute')));
  });
  try {
    await Promise.race([(async () => onEnded(session))(), tooLong]);
    return undefined;
  } catch (cause) {
    return listenerFailed(session.id, cause);
  } finally {
    cancel();
  }
};

/**
 * Reports an end and settles it. The sweep first claims the end by postponing it for a minute, in which only one sweep
 * can succeed. If the report fails, the end is due again after that minute. An end that cannot be read is postponed
 * too, and only the sweep that postpones it returns the error.
 */
export const reportEnd = async (
  settings: Settings,
  end: UnreportedEnd,
  onEnded: OnEnded,
  sweptAt: number,
): Promise<SweepOutcome> => {
  const { store, now } = settings;
  const until = now().unwrapOr(sweptAt) + RETRY_AFTER_MS;
  const claimed = await store.ends.postpone(end, until);
  if (claimed.isErr()) return { isDone: false, failed: claimed.error };
  if (claimed.value === 'stale') return { isDone: false };
  const { ended } = end;
  if (ended.isErr()) return { isDone: true, failed: ended.error };
  const reported = ended.value && endedSessionOf(end, ended.value);
  const failed = reported && (await callOnEnded(settings, onEnded, reported));
  if (failed !== undefined) return { isDone: true, failed };
  // Stale if another sweep has claimed it since: that one reports it too, and settles it.
  const settled = await store.ends.settle({ ...end, dueAt: until });
  return { isDone: true, ...(reported && { reported }), ...(settled.isErr() && { failed: settled.error }) };
};
