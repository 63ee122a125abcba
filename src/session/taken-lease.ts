import type { ResultAsync } from 'neverthrow';
import { disposable } from './async-dispose.js';
import type { SessionLease, TakenLease } from './session.js';

/**
 * A lease that `release` ends when it is disposed of. A lease that cannot be released runs out by
 * itself.
 */
export const takenLease = (
  lease: SessionLease,
  release: (lease: SessionLease) => ResultAsync<void, { readonly type: string }>,
): TakenLease =>
  disposable(lease, async () => {
    await release(lease);
  });
