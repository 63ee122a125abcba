import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { ServiceResults } from './service-results.js';
import type { SessionOperations } from './session-operations.js';
import type { LeaseInput } from './session-work.js';

type Leasing = Pick<
  SessionOperations<OperationErrors, SessionSchemas, ServiceResults<SessionSchemas>>,
  'lease' | 'renew' | 'release'
>;

/** The operations of a service on the lease of one session. */
export const leaseOperations = (sessions: Leasing, id: string, input: LeaseInput) => ({
  lease: () => sessions.lease(id, input),
  renew: (fencingToken: number, seconds: number) => sessions.renew(id, { fencingToken, seconds }),
  release: (fencingToken: number) => sessions.release(id, { fencingToken }),
});
