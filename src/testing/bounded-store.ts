import { ok } from 'neverthrow';
import type { Answer, EventLog, SessionStore } from '../store/session-store.js';
import { answered } from './answered.js';

/**
 * The same store, but a call without an answer within `timeoutMs` rejects with an error that names
 * it.
 */
export const boundedStore = (store: SessionStore, timeoutMs: number): SessionStore => {
  const bounded = <T, E>(call: string, answer: Answer<T, E>): Answer<T, E> =>
    'then' in answer ? answered(`${call}()`, timeoutMs, answer) : answer;
  const boundedLog = (log: EventLog): EventLog => ({
    ...(log.listen === undefined ? {} : { listen: log.listen.bind(log) }),
    isClosed: () => log.isClosed?.() ?? false,
    open: () => bounded('events.open', log.open?.() ?? ok()),
    streamOf: (...args) => log.streamOf(...args),
    streams: () => log.streams?.() ?? [],
    latest: (...args) => bounded('events.latest', log.latest(...args)),
    now: (...args) => bounded('events.now', log.now(...args)),
    read: (...args) => bounded('events.read', log.read(...args)),
  });
  return {
    begin: (commit) => bounded('begin', store.begin(commit)),
    change: (commit) => bounded('change', store.change(commit)),
    remove: (commit) => bounded('remove', store.remove(commit)),
    take: (range) => bounded('take', store.take(range)),
    find: (...args) => bounded('find', store.find(...args)),
    findState: (key) => bounded('findState', store.findState(key)),
    messages: (...args) => bounded('messages', store.messages(...args)),
    entries: (...args) => bounded('entries', store.entries(...args)),
    page: (...args) => bounded('page', store.page(...args)),
    due: (...args) => bounded('due', store.due(...args)),
    countWaiting: (range) => bounded('countWaiting', store.countWaiting(range)),
    reportsEnds: () => bounded('reportsEnds', store.reportsEnds()),
    events: store.events && boundedLog(store.events),
  };
};
