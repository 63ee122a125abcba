import { timedOut, withTimeout } from '../session/with-timeout.js';
import type { SessionStore } from '../store/session-store.js';

/**
 * Waits for a value for at most `timeoutMs` milliseconds, then rejects with an error that names
 * `what`.
 */
export const answered = async <T>(
  what: string,
  timeoutMs: number,
  value: T | PromiseLike<T>,
): Promise<T> => {
  const answer = await withTimeout(timeoutMs, Promise.resolve(value));
  if (answer !== timedOut) return answer;
  throw new Error(`${what} has not answered within ${timeoutMs} ms`);
};

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer;

/** The same object, but a method without an answer within `timeoutMs` rejects and names it. */
const bounded = <T extends object>(inner: T, timeoutMs: number, path: string): T =>
  // Not over `inner` itself: a proxy must return the properties of a frozen object as they are.
  new Proxy<T>(Object.create(inner), {
    get(_, name) {
      const value: unknown = Reflect.get(inner, name);
      const call = `${path}${String(name)}`;
      if (name === 'events' && typeof value === 'object' && value !== null)
        return bounded(value, timeoutMs, `${call}.`);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(value, inner, args);
        return isPending(answer) ? answered(`${call}()`, timeoutMs, answer) : answer;
      };
    },
  });

/**
 * The same store, but a call without an answer within `timeoutMs` rejects with an error that names
 * it.
 */
export const boundedStore = (store: SessionStore, timeoutMs: number): SessionStore =>
  bounded(store, timeoutMs, '');
