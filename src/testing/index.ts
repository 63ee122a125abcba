import { callback } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { optional } from '../schema/schema.js';
import { list, number, oneOf } from '../schema/values.js';
import type { SessionStore } from '../store/session-store.js';
import { absences, NO_CORRUPTION } from './cases/absences.js';
import { corruption } from './cases/corruption.js';
import { boundedStore, type MakeStore, withOpenedStore } from './opened-store.js';
import { OPTIONAL_PARTS, type OptionalPart, optionalCases, requiredCases } from './parts.js';
import type { Cases, Corrupt } from './store-case.js';

export type { MakeStore, OpenedStore } from './opened-store.js';
export type { OptionalPart } from './parts.js';
export { joinRace, raceProcesses, type StartProcess } from './race-processes.js';
export {
  checkRandomCommits,
  type RandomOptions,
  type RandomSubject,
} from './random/random-commits.js';
export type { Corrupt, StoredPart } from './store-case.js';

/**
 * The `test` function of a test runner, for example vitest, node:test, Jest, Mocha, Bun or Deno.
 */
export interface TestFunction {
  (name: string, run: () => Promise<void>): unknown;
  /**
   * Reports a test as skipped. Without it, a case that the options leave out is reported as passed.
   */
  skip?(name: string, run: () => Promise<void>): unknown;
}

/** Options of `describeSessionStore`. */
export interface StoreContractOptions<S extends SessionStore> {
  /**
   * Damage a part of a stored session. Without it, the cases on damaged records are skipped. Omit
   * it only if nothing outside the store can damage a record.
   */
  readonly corrupt?: Corrupt<S> | undefined;
  /**
   * Leave out the cases of parts that the store lacks: `statuses` for lists by status alone and
   * limits of live sessions, `events` for the event log, `listen` for listeners of that log. The
   * report names each part as not checked. A store must refuse calls of a part that it lacks: a
   * case fails if the store ignores such a call or supports it. Default: none, so that everything
   * that the service may call is checked.
   */
  readonly without?: readonly OptionalPart[] | undefined;
  /**
   * Maximum duration in milliseconds of a single call of the store, of a function that creates a
   * store, or of `close`. A case with a slower call fails and names the call. Default: 30000.
   */
  readonly timeoutMs?: number | undefined;
}

/** Maximum delay of a timer; a longer delay would fire immediately. */
const MAXIMUM_TIMEOUT_MS = 2 ** 31 - 1;

const read = optionsOf('describeSessionStore', {
  corrupt: optional(callback),
  without: optional(list(oneOf(OPTIONAL_PARTS), { most: OPTIONAL_PARTS.length, of: 'parts' }), []),
  timeoutMs: optional(number(1, MAXIMUM_TIMEOUT_MS), 30_000),
} satisfies Readonly<Record<keyof StoreContractOptions<never>, unknown>>);

/** Without events, there is no log to listen to. */
const absentParts = (without: readonly OptionalPart[]): ReadonlySet<OptionalPart> => {
  const absent = new Set(without);
  return absent.has('events') ? absent.add('listen') : absent;
};

/**
 * The contract of `SessionStore` as tests, within one process; `raceProcesses` tests two.
 * `makeStore` is called once for each case, and returns an empty store or an `OpenedStore`.
 *
 * ```ts
 * describe('MyStore', () => describeSessionStore(test, () => new MyStore()));
 * ```
 *
 * Throws a `TypeError` that names every invalid or unknown option.
 */
export const describeSessionStore = <S extends SessionStore>(
  test: TestFunction,
  makeStore: MakeStore<S>,
  options: StoreContractOptions<S> = {},
): void => {
  const { without, timeoutMs } = read(options);
  const { corrupt } = options;
  const absent = absentParts(without);
  const bounded = (store: SessionStore) => boundedStore(store, timeoutMs);
  const add = (name: string, run: (store: S, second: S) => Promise<void>): void => {
    test(name, () => withOpenedStore(makeStore, timeoutMs, run));
  };
  const addAll = (all: Cases): void => {
    for (const [name, run] of Object.entries(all))
      add(name, (store, second) => run(bounded(store), bounded(second), timeoutMs));
  };

  addAll(requiredCases);
  for (const part of OPTIONAL_PARTS)
    addAll(absent.has(part) ? absences[part] : optionalCases[part]);
  if (corrupt === undefined) {
    const nothing = async () => undefined;
    if (test.skip === undefined) test(NO_CORRUPTION, nothing);
    else test.skip(NO_CORRUPTION, nothing);
    return;
  }
  for (const [name, run] of Object.entries(corruption))
    add(name, (store) => run(bounded(store), (key, part) => corrupt(store, key, part)));
};
