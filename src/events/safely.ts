import { err, type Result } from 'neverthrow';
import { storeUnavailable } from '../errors.js';
import type { WatchError } from './change.js';

/** An iterable that never throws: what goes wrong is its last item, also where a store breaks its contract. */
export async function* safely<T>(
  begin: () => Result<AsyncIterable<Result<T, WatchError>>, WatchError>,
): AsyncGenerator<Result<T, WatchError>, void> {
  try {
    const begun = begin();
    if (begun.isErr()) yield err(begun.error);
    else yield* begun.value;
  } catch (cause) {
    yield err(storeUnavailable('the store failed in a way that it should not', 'not_applied', cause));
  }
}
