import { errAsync, type Result, ResultAsync } from 'neverthrow';
import { type InvalidInput, type SessionError, type StoreUnavailable, storeUnavailable } from '../errors.js';
import type { OperationName } from '../observer.js';
import type { Settings } from './settings.js';

/** What an operation is called, and what may have become of it if its store breaks the contract. */
export interface Operation {
  readonly name: OperationName;
  /** As the caller gave it. */
  readonly id?: unknown;
  /** Default: `unknown`. */
  readonly outcome?: StoreUnavailable['outcome'];
}

/**
 * Carries out an operation and shows it to the observers. Nothing throws and nothing rejects: what a store does against
 * its contract becomes `store_unavailable`.
 */
export const perform = <T, E extends SessionError>(
  { observers, tenant, tenantError }: Settings,
  { name, id, outcome = 'unknown' }: Operation,
  operation: () => Promise<Result<T, E>>,
): ResultAsync<T, E | InvalidInput | StoreUnavailable> => {
  type Outcome = ResultAsync<T, E | InvalidInput | StoreUnavailable>;
  const carryOut = (): Outcome =>
    tenantError === undefined
      ? ResultAsync.fromPromise(operation(), (cause) =>
          storeUnavailable('the store failed in a way that it should not', outcome, cause),
        ).andThen((result) => result)
      : errAsync(tenantError);
  if (observers.length === 0) return carryOut();
  let carriedOut: Outcome | undefined;
  const call = (): Outcome => {
    carriedOut ??= carryOut();
    return carriedOut;
  };
  // An observer that throws or rejects must not change what the caller gets.
  for (const observer of observers) (async () => observer.run({ name, tenant, id }, call))().catch(() => {});
  return call();
};
