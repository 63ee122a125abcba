import { errAsync, type ResultAsync } from 'neverthrow';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionLease } from '../session/session.js';
import { type HeldLease, withLease } from '../session/with-lease.js';
import type { LeaseInput, RenewInput } from './lease-session.js';
import type { ReleaseInput } from './release-session.js';
import { leaseClock, refusedWithin, type Settings, withFence } from './settings.js';
import type { Released } from './turn-results.js';

interface LeasingSessions {
  lease(id: string, input: LeaseInput): ResultAsync<SessionLease, OperationErrors['lease']>;
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, OperationErrors['renew']>;
  release(id: string, input: ReleaseInput): ResultAsync<Released, OperationErrors['release']>;
}

/** Calls `use` with the `sessionsOf` a lease, which the operations of `sessions` hold. */
export const holdSession = <S extends LeasingSessions, U>(
  sessions: S,
  settings: Settings,
  sessionsOf: (settings: Settings) => S,
  { id, input, use }: { id: string; input: LeaseInput; use: (lease: HeldLease<S>) => U },
) => {
  const operations = {
    sessions: (fencingToken: number) => sessionsOf(withFence(settings, { id, fencingToken })),
    lease: () => {
      const refused = refusedWithin(settings, 'withLease');
      return refused === undefined ? sessions.lease(id, input) : errAsync(refused);
    },
    renew: (fencingToken: number, seconds: number) => sessions.renew(id, { fencingToken, seconds }),
    release: (fencingToken: number) => sessions.release(id, { fencingToken }),
  };
  return withLease(operations, leaseClock(settings), input, use);
};
