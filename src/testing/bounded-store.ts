import { ok } from 'neverthrow';
import type { Answer, EventLog, SessionStore } from '../store/session-store.js';
import { withTimeout } from './with-timeout.js';

/**
 * The same store, but a call without an answer within `timeoutMs` rejects with an error that names
 * it.
 */
export const boundedStore = (store: SessionStore, timeoutMs: number): SessionStore => {
  const bounded = <T, E>(call: string, answer: Answer<T, E>): Answer<T, E> =>
    'then' in answer ? withTimeout(`${call}()`, timeoutMs, answer) : answer;
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
    insert: (...args) => bounded('insert', store.insert(...args)),
    find: (...args) => bounded('find', store.find(...args)),
    findState: (...args) => bounded('findState', store.findState(...args)),
    list: (...args) => bounded('list', store.list(...args)),
    replace: (...args) => bounded('replace', store.replace(...args)),
    append: (...args) => bounded('append', store.append(...args)),
    redact: (...args) => bounded('redact', store.redact(...args)),
    findEntries: (...args) => bounded('findEntries', store.findEntries(...args)),
    remove: (...args) => bounded('remove', store.remove(...args)),
    events: store.events && boundedLog(store.events),
    reportsEnds: () => bounded('reportsEnds', store.reportsEnds()),
    due: (...args) => bounded('due', store.due(...args)),
    reschedule: (...args) => bounded('reschedule', store.reschedule(...args)),
    claim: (range) => bounded('claim', store.claim(range)),
    countWaiting: (range) => bounded('countWaiting', store.countWaiting(range)),
  };
};
