import { err, ok, type Result } from 'neverthrow';
import { notFound } from '../errors.js';
import type { Settings } from '../service/settings.js';
import { sessionAt } from '../session/view.js';
import type { SessionKey } from '../store.js';
import type { SessionChange, SessionSnapshot, WatchError, WatchSettings } from './change.js';
import { Seen } from './seen.js';
import { caughtUp, subscribe } from './subscription.js';

/** So long an end that is there is waited for to be told. */
const TOLD_WITHIN_MS = 1000;

const isEnd = ({ type }: SessionChange): boolean => type === 'session.terminated' || type === 'session.deleted';

/** What a session does, from what it is now, or from a position on, until it has ended or is gone. */
export async function* watchSession(
  settings: Settings,
  key: SessionKey,
  { from, signal }: WatchSettings,
): AsyncGenerator<Result<SessionChange, WatchError>, void> {
  const opened = await subscribe(settings, key.tenant, key.id, signal);
  if (opened.isErr()) {
    yield err(opened.error);
    return;
  }
  const { inbox, position, end } = opened.value;
  const seen = new Seen();
  let deadline = Number.POSITIVE_INFINITY;
  /** The session as it is now; that it has gone is no error but the end. */
  const look = async (): Promise<Result<SessionSnapshot | undefined, WatchError>> => {
    const found = await settings.store.find(key);
    if (found.isErr()) return err(found.error);
    const record = found.value;
    return settings.now().map((now) => {
      if (record === undefined) return undefined;
      deadline = record.state.status === 'TERMINATED' ? Number.POSITIVE_INFINITY : record.state.deadline;
      seen.reset(record.sequence);
      return { type: 'session.snapshot', session: sessionAt(record, now), sequence: record.sequence, position };
    });
  };
  try {
    let mustLook = from === undefined;
    if (from !== undefined) {
      for await (const event of caughtUp(opened.value, from)) {
        if (event.isErr()) {
          yield err(event.error);
          return;
        }
        if (event.value === undefined) mustLook = true;
        else if (seen.judge(event.value) === 'new') {
          yield ok(event.value);
          if (isEnd(event.value)) return;
        }
      }
      // What it missed it has been told; what it has not is when the time is up.
      if (!mustLook) {
        const state = await settings.store.findState(key);
        if (state.isOk() && state.value === undefined) return;
        if (state.isOk() && state.value?.status === 'TERMINATED') {
          // An end is told a moment after it is made; one that was told before is not told again.
          if (seen.isEmpty) mustLook = true;
          else deadline = settings.now().unwrapOr(0) + TOLD_WITHIN_MS;
        } else if (state.isOk() && state.value !== undefined) deadline = state.value.deadline;
      }
    } else if (inbox.isClosed) return;
    for (let isFirst = from === undefined; !inbox.isClosed; ) {
      mustLook = inbox.hasMissed() || mustLook;
      const now = settings.now().unwrapOr(0);
      if (mustLook || now >= deadline) {
        mustLook = false;
        const snapshot = await look();
        if (snapshot.isErr()) {
          yield err(snapshot.error);
          return;
        }
        if (snapshot.value === undefined) {
          if (isFirst) yield err(notFound(key.id));
          return;
        }
        isFirst = false;
        yield ok(snapshot.value);
        if (snapshot.value.session.status === 'TERMINATED') return;
        continue;
      }
      const event = inbox.next();
      if (event === undefined) {
        await inbox.wait(deadline - now);
        continue;
      }
      const judged = seen.judge(event);
      if (judged === 'gap') mustLook = true;
      if (judged !== 'new') continue;
      yield ok(event);
      if (isEnd(event)) return;
      if (event.type !== 'session.appended') {
        const state = await settings.store.findState(key);
        deadline = state.isOk() && state.value ? state.value.deadline : deadline;
      }
    }
  } finally {
    end();
  }
}
