import { ok, ResultAsync } from 'neverthrow';
import type { StoreError } from '../../../src/errors.js';
import type { SessionRecord } from '../../../src/session/session-record.js';
import { acceptsHistoryUntil } from '../../../src/session/timeline.js';
import type { AppendOutcome, Replaced, SessionKey, SessionStore } from '../../../src/store/session-store.js';

/**
 * What hand-written stores do: read a session whole, change it, write it whole. It is here to be caught.
 * `pause` is where another caller may come in between.
 */
export const naiveStore = (pause: () => Promise<unknown>): SessionStore => {
  const sessions = new Map<string, SessionRecord>();
  const nameOf = ({ tenant, id }: SessionKey): string => `${tenant}/${id}`;
  const change = async <T>(key: SessionKey, decide: (found: SessionRecord) => readonly [SessionRecord, T]) => {
    const found = sessions.get(nameOf(key));
    if (found === undefined) return undefined;
    await pause();
    const [next, answer] = decide(found);
    sessions.set(nameOf(key), next);
    return answer;
  };
  const later = <T>(promise: Promise<T>): ResultAsync<T, StoreError> => ResultAsync.fromSafePromise(promise);
  return {
    insert: (tenant, head, state) => {
      const name = nameOf({ tenant, id: head.id });
      if (sessions.has(name)) return ok('taken');
      sessions.set(name, { head, state, history: [], historyCount: 0, sequence: 1, birth: '' });
      return ok('inserted');
    },
    find: (key) => ok(sessions.get(nameOf(key))),
    findState: (key) => ok(sessions.get(nameOf(key))?.state),
    findEntries: (key, slice) => {
      const history = sessions.get(nameOf(key))?.history;
      if (history === undefined) return ok({ outcome: 'missing' });
      const { after, before = history.length, limit } = slice;
      const start = after ?? Math.max(0, before - limit);
      const found = history.slice(start, after === undefined ? before : after + limit);
      const entries = found.map((entry, at) => ({ ...entry, position: start + at + 1 }));
      const position = start + entries.length;
      return ok({ outcome: 'found', entries, start, position, hasMore: position < history.length });
    },
    list: () => ok({ records: [...sessions.values()], total: sessions.size, unreadable: [] }),
    redact: () => ok('missing'),
    remove: (key) => ok(sessions.delete(nameOf(key)) ? 'removed' : 'missing'),
    due: () => ok({ sessions: [], failed: [], hasMore: false }),
    reschedule: () => ok('stale'),
    ends: {
      due: () => ok({ ends: [], failed: [], hasMore: false }),
      postpone: () => ok('stale'),
      settle: () => ok('missing'),
    },
    replace: (key, state) =>
      later(change<Replaced>(key, (found) => [{ ...found, state }, 'replaced'])).map((done) => done ?? 'missing'),
    append: (key, { entries, now }) =>
      later(
        change<AppendOutcome>(key, (found) => {
          if (now >= acceptsHistoryUntil(found.state)) {
            return [found, { outcome: 'closed', state: found.state }];
          }
          const history = [...found.history, ...entries];
          return [
            { ...found, history, historyCount: history.length },
            { outcome: 'appended', position: history.length },
          ];
        }),
      ).map((done) => done ?? ({ outcome: 'missing' } as const)),
  };
};
