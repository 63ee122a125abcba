import type { Result, ResultAsync } from 'neverthrow';
import { chain, settled } from '../answer.js';
import type { InvalidInput, SessionError, StoreUnavailable } from '../errors.js';
import type { OperationName } from '../observer.js';
import type { Answer } from '../store.js';
import type { Settings } from './settings.js';

/**
 * Carries out an operation of a service, under the eyes of its observers. `outcome` is what a store that breaks its
 * contract may have done: unknown, but to reads.
 */
export const perform = <T, E extends SessionError>(
  settings: Result<Settings, InvalidInput>,
  name: OperationName,
  operation: (settings: Settings) => Answer<T, E>,
  outcome?: StoreUnavailable['outcome'],
  id?: unknown,
): ResultAsync<T, E | InvalidInput | StoreUnavailable> => {
  const carryOut = () => chain(settings, operation);
  if (settings.isErr() || settings.value.observers.length === 0) return settled(carryOut, outcome);
  const { observers, tenant } = settings.value;
  let answer: ResultAsync<T, E | InvalidInput | StoreUnavailable> | undefined;
  const call = () => {
    answer ??= settled(carryOut, outcome);
    return answer;
  };
  // What an observer does wrong, at once or later, is no harm.
  for (const observer of observers) (async () => observer.run({ name, tenant, id }, call))().catch(() => {});
  return call();
};
