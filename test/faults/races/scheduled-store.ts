import type { Scheduler } from 'fast-check';
import { ResultAsync } from 'neverthrow';
import type { Answer, SessionStore } from '../../../src/store/session-store.js';

/** `inner`, with the beginning and the answer of every call at an instant that the scheduler chooses. */
export const scheduledStore = (inner: SessionStore, scheduler: Scheduler): SessionStore => {
  const turn = (label: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), label);
  const scheduled = <T, E>(name: string, call: () => Answer<T, E>): ResultAsync<T, E> =>
    new ResultAsync(
      (async () => {
        await turn(`${name} begins`);
        const answer = await call();
        await turn(`${name} answers`);
        return answer;
      })(),
    );
  return {
    insert: (...args) => scheduled('insert', () => inner.insert(...args)),
    find: (key, size, admit) => scheduled('find', () => inner.find(key, size, admit)),
    findState: (key) => scheduled('findState', () => inner.findState(key)),
    list: (tenant, page, admit) => scheduled('list', () => inner.list(tenant, page, admit)),
    replace: (...args) => scheduled('replace', () => inner.replace(...args)),
    append: (key, append) => scheduled('append', () => inner.append(key, append)),
    redact: (...args) => scheduled('redact', () => inner.redact(...args)),
    findEntries: (key, slice) => scheduled('findEntries', () => inner.findEntries(key, slice)),
    remove: (key, removal) => scheduled('remove', () => inner.remove(key, removal)),
    due: (...args) => scheduled('due', () => inner.due(...args)),
    reschedule: (...args) => scheduled('reschedule', () => inner.reschedule(...args)),
    ends: {
      due: (...args) => scheduled('ends.due', () => inner.ends.due(...args)),
      postpone: (...args) => scheduled('ends.postpone', () => inner.ends.postpone(...args)),
      settle: (...args) => scheduled('ends.settle', () => inner.ends.settle(...args)),
    },
  };
};
