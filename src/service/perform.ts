import { err, type Result, ResultAsync } from 'neverthrow';
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

/** What to throw where a store answers what it must not: `perform` makes `store_unavailable` of it. */
export const contractBroken = (method: string, answer: never): TypeError =>
  new TypeError(`the store's ${method} answered ${JSON.stringify(answer)}`);

/**
 * Carries out an operation and shows it to the observers. Nothing throws and nothing rejects: what a store does against
 * its contract becomes `store_unavailable`.
 */
export const perform = <T, E extends SessionError>(
  { observers, tenant, tenantError, hub }: Settings,
  { name, id, outcome = 'unknown' }: Operation,
  operation: () => Promise<Result<T, E>>,
): ResultAsync<T, E | InvalidInput | StoreUnavailable> => {
  const carryOut = async (): Promise<Result<T, E | InvalidInput | StoreUnavailable>> => {
    if (tenantError !== undefined) return err(tenantError);
    try {
      return await operation();
    } catch (cause) {
      return err(storeUnavailable('the store failed in a way that it should not', outcome, cause));
    } finally {
      // Whoever watches in this process learns of the change at once.
      if (outcome === 'unknown') hub?.wake(name === 'sweep' ? undefined : tenant);
    }
  };
  if (observers.length === 0) return new ResultAsync(carryOut());
  let carriedOut: ReturnType<typeof call> | undefined;
  const call = (): ResultAsync<T, E | InvalidInput | StoreUnavailable> => {
    carriedOut ??= new ResultAsync(carryOut());
    return carriedOut;
  };
  // An observer that throws or rejects must not change what the caller gets.
  for (const observer of observers) (async () => observer.run({ name, tenant, id }, call))().catch(() => {});
  return call();
};
