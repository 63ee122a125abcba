import {
  cancelRules,
  claimRules,
  leaseRules,
  releaseRules,
  renewRules,
  wakeRules,
} from '../input/rule.js';
import type { SessionService } from '../service/session-service.js';
import { errorsOf, given, operation, posted } from './operation.js';
import { claims, sessionLease, waitingCount } from './outputs.js';
import type { TenantCommands } from './tenant-sessions.js';

const work = posted('Work');

export const lease = work({
  name: 'leaseSession',
  path: '/lease-session/{session_id}',
  body: { name: 'LeaseSession', fields: leaseRules },
  errors: errorsOf<SessionService['lease']>()([
    'not_found',
    'invalid_transition',
    'leased',
    'conflict',
  ]),
  output: { status: 200, shape: sessionLease },
  calls: {
    method: 'lease',
    call: (sessions: TenantCommands, { id, body }) => sessions.lease(id, body),
  },
});

export const renew = work({
  name: 'renewSession',
  path: '/renew-session/{session_id}',
  body: { name: 'RenewSession', fields: renewRules },
  errors: errorsOf<SessionService['renew']>()([
    'not_found',
    'invalid_transition',
    'lease_lost',
    'cancelled',
    'conflict',
  ]),
  output: { status: 200, shape: sessionLease },
  calls: {
    method: 'renew',
    call: (sessions: TenantCommands, { id, body }) => sessions.renew(id, body),
  },
});

export const release = work({
  name: 'releaseSession',
  path: '/release-session/{session_id}',
  body: { name: 'ReleaseSession', fields: releaseRules },
  errors: errorsOf<SessionService['release']>()([
    'not_found',
    'lease_lost',
    'cancelled',
    'conflict',
  ]),
  output: { status: 204 },
  calls: {
    method: 'release',
    call: (sessions: TenantCommands, { id, body }) => sessions.release(id, given(body)),
  },
});

export const wake = work({
  name: 'wakeSession',
  path: '/wake-session/{session_id}',
  body: { name: 'WakeSession', fields: wakeRules },
  errors: errorsOf<SessionService['wake']>()(['not_found', 'invalid_transition', 'conflict']),
  output: { status: 204 },
  calls: {
    method: 'wake',
    call: (sessions: TenantCommands, { id, body }) => sessions.wake(id, given(body)),
  },
});

export const claim = work({
  name: 'claimSessions',
  path: '/claim-sessions',
  body: { name: 'ClaimSessions', fields: claimRules },
  errors: errorsOf<SessionService['claim']>()([]),
  output: { status: 200, shape: claims, isCounted: true },
  calls: {
    method: 'claim',
    call: (sessions: TenantCommands, { body }) => sessions.claim(given(body)),
  },
});

export const countWaiting = operation({
  name: 'countWaitingSessions',
  tag: 'Work',
  method: 'GET',
  path: '/count-waiting-sessions',
  errors: errorsOf<SessionService['countWaiting']>()([]),
  output: { status: 200, shape: waitingCount },
  calls: { method: 'countWaiting', call: (sessions: TenantCommands) => sessions.countWaiting() },
});

export const cancel = work({
  name: 'cancelWork',
  path: '/cancel-work/{session_id}',
  body: { name: 'CancelWork', fields: cancelRules },
  errors: errorsOf<SessionService['cancel']>()(['not_found', 'invalid_transition', 'conflict']),
  output: { status: 204 },
  calls: {
    method: 'cancel',
    call: (sessions: TenantCommands, { id, body }) => sessions.cancel(id, given(body)),
  },
});

/** The operations on leases, and on the sessions that wait for a worker. */
export const workOperations = [lease, renew, release, wake, claim, countWaiting, cancel] as const;
