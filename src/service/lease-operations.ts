import type { SessionService } from './session-service.js';
import type { LeaseInput } from './session-work.js';

type Leasing = Pick<SessionService, 'lease' | 'renew' | 'release'>;

/** The operations of a service on the lease of one session. */
export const leaseOperations = (sessions: Leasing, id: string, input: LeaseInput) => ({
  lease: () => sessions.lease(id, input),
  renew: (fencingToken: number, seconds: number) => sessions.renew(id, { fencingToken, seconds }),
  release: (fencingToken: number) => sessions.release(id, { fencingToken }),
});
