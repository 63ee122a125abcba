import type { Result, ResultAsync } from 'neverthrow';
import { disposable } from '../session/async-dispose.js';
import { isFields } from '../session/fields.js';
import type { HeldLease, ReturnedValue } from '../session/with-lease.js';
import type { LeaseInput } from './lease-session.js';
import { unwrap } from './unwrap.js';

/** The members that return no result, and the one that takes a callback. */
type OtherMembers = 'clock' | 'policy' | 'forTenant' | 'within' | 'orThrow' | 'withLease';

/** The same call as a promise of the value, or as an iterable of the values. */
type Throwing<F> = F extends (...given: infer A) => infer R
  ? R extends ResultAsync<infer T, infer _E>
    ? (...given: A) => Promise<T>
    : R extends AsyncIterable<Result<infer T, infer _E>>
      ? (...given: A) => AsyncIterable<T> & (R extends AsyncDisposable ? AsyncDisposable : unknown)
      : never
  : never;

/**
 * The operations of `S` as promises and iterables of values, which reject with a `SessionFailure`.
 */
export type OrThrow<S> = { readonly [K in keyof S as Exclude<K, OtherMembers>]: Throwing<S[K]> } & {
  /** Like `withLease`, with `sessions` that throw as well. Rejects with what `use` throws. */
  withLease<R>(
    id: string,
    input: LeaseInput,
    use: (lease: HeldLease<OrThrow<S>>) => R,
  ): Promise<ReturnedValue<Awaited<R>>>;
};

type AnyResult = Result<unknown, unknown>;

const isPromise = (value: unknown): value is PromiseLike<AnyResult> =>
  isFields(value) && typeof value['then'] === 'function';

const isIterable = (value: unknown): value is AsyncIterable<AnyResult> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/**
 * Not a generator, because its `return` would wait for a pending `next`, and a watch may wait for
 * long.
 */
const valuesOf = (items: AsyncIterable<AnyResult>): AsyncIterableIterator<unknown> => {
  const iterator = items[Symbol.asyncIterator]();
  const end = async (): Promise<void> => {
    await iterator.return?.();
  };
  const values: AsyncIterableIterator<unknown> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const item = await iterator.next();
      if (item.done === true) return item;
      return { done: false, value: unwrap(item.value) };
    },
    async return() {
      await end();
      return { done: true, value: undefined };
    },
  };
  return disposable(values, end);
};

/**
 * `use` with sessions that throw. Anything but a function stays as it is, for the check of
 * `withLease`.
 */
const throwingUse = (use: unknown): unknown => {
  if (typeof use !== 'function') return use;
  return (lease: HeldLease<object>): unknown =>
    use({ ...lease, sessions: orThrowOf(lease.sessions) });
};

/** An exception of the callback is the caller's own. */
const ownValue = (result: AnyResult): unknown => {
  const error = result.isErr() && result.error;
  if (isFields(error) && error['type'] === 'callback_failed') throw error['cause'];
  return unwrap(result);
};

const callOrThrow = (
  name: PropertyKey,
  call: (...given: unknown[]) => unknown,
  given: unknown[],
): unknown => {
  if (name === 'withLease') {
    const [id, input, use] = given;
    const returned = call(id, input, throwingUse(use));
    return isPromise(returned) ? Promise.resolve(returned).then(ownValue) : returned;
  }
  const returned = call(...given);
  if (isPromise(returned)) return unwrap(returned);
  if (isIterable(returned)) return valuesOf(returned);
  return returned;
};

/** A view of a service or a client, whose operations reject instead of returning an error. */
export function orThrowOf<S extends object>(sessions: S): OrThrow<S>;
export function orThrowOf(sessions: object): object {
  return new Proxy(sessions, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) =>
        callOrThrow(name, (...all) => member.apply(target, all), given);
    },
  });
}
