import {
  cancelRules,
  claimRules,
  leaseRules,
  releaseRules,
  renewRules,
  wakeRules,
} from '../input/rule.js';
import type { SessionService } from '../service/session-service.js';
import { commonErrors, errorsOf, given, operation } from './operation.js';
import { claims, sessionLease, waitingCount } from './outputs.js';
import type { TenantCommands } from './tenant-sessions.js';

export const lease = operation({
  name: 'leaseSession',
  tag: 'Work',
  method: 'POST',
  path: '/lease-session/{session_id}',
  body: { name: 'LeaseSession', fields: leaseRules },
  errors: errorsOf<SessionService['lease']>()([
    ...commonErrors,
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

export const renew = operation({
  name: 'renewSession',
  tag: 'Work',
  method: 'POST',
  path: '/renew-session/{session_id}',
  body: { name: 'RenewSession', fields: renewRules },
  errors: errorsOf<SessionService['renew']>()([
    ...commonErrors,
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

export const release = operation({
  name: 'releaseSession',
  tag: 'Work',
  method: 'POST',
  path: '/release-session/{session_id}',
  body: { name: 'ReleaseSession', fields: releaseRules },
  errors: errorsOf<SessionService['release']>()([
    ...commonErrors,
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

export const wake = operation({
  name: 'wakeSession',
  tag: 'Work',
  method: 'POST',
  path: '/wake-session/{session_id}',
  body: { name: 'WakeSession', fields: wakeRules },
  errors: errorsOf<SessionService['wake']>()([
    ...commonErrors,
    'not_found',
    'invalid_transition',
    'conflict',
  ]),
  output: { status: 204 },
  calls: {
    method: 'wake',
    call: (sessions: TenantCommands, { id, body }) => sessions.wake(id, given(body)),
  },
});

export const claim = operation({
  name: 'claimSessions',
  tag: 'Work',
  method: 'POST',
  path: '/claim-sessions',
  body: { name: 'ClaimSessions', fields: claimRules },
  errors: errorsOf<SessionService['claim']>()(commonErrors),
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
  errors: errorsOf<SessionService['countWaiting']>()(commonErrors),
  output: { status: 200, shape: waitingCount },
  calls: { method: 'countWaiting', call: (sessions: TenantCommands) => sessions.countWaiting() },
});

export const cancel = operation({
  name: 'cancelWork',
  tag: 'Work',
  method: 'POST',
  path: '/cancel-work/{session_id}',
  body: { name: 'CancelWork', fields: cancelRules },
  errors: errorsOf<SessionService['cancel']>()([
    ...commonErrors,
    'not_found',
    'invalid_transition',
    'conflict',
  ]),
  output: { status: 204 },
  calls: {
    method: 'cancel',
    call: (sessions: TenantCommands, { id, body }) => sessions.cancel(id, given(body)),
  },
});

/** The operations on leases, and on the sessions that wait for a worker. */
export const workOperations = [lease, renew, release, wake, claim, countWaiting, cancel] as const;
