import {
  cancelOptions,
  claimInput,
  leaseInput,
  renewInput,
  wakeOptions,
} from '../input/command-inputs.js';
import { releaseInput, takeInput } from '../input/turn-input.js';
import type { SessionService } from '../service/session-service.js';
import {
  type Endpoint,
  endpoint,
  errorsOf,
  given,
  type OperationError,
  posted,
  type ServedPart,
  served,
} from './endpoint.js';
import { released, takenMessages } from './message-outputs.js';
import { claims, sessionLease, waitingCount } from './outputs.js';
import type { TenantCommands } from './tenant-sessions.js';

/* @__NO_SIDE_EFFECTS__ */
const work = <T, C extends OperationError>(
  at: Endpoint<T, C>,
  part: Omit<ServedPart<TenantCommands, T, C>, 'tag'>,
) => served(at, { tag: 'Work', ...part });

const turnCodes = [
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'history_full',
  'conflict',
] as const;

export const lease = posted({
  path: '/lease-session/{session_id}',
  errors: errorsOf<SessionService['lease']>()([
    'not_found',
    'invalid_transition',
    'leased',
    'conflict',
  ]),
  output: { status: 200, body: sessionLease },
});

const servedLease = work(lease, {
  name: 'leaseSession',
  body: { name: 'LeaseSession', of: () => leaseInput },
  calls: {
    method: 'lease',
    call: (sessions, { id, body }) => sessions.lease(id, body),
  },
});

export const renew = posted({
  path: '/renew-session/{session_id}',
  errors: errorsOf<SessionService['renew']>()([
    'not_found',
    'invalid_transition',
    'lease_lost',
    'cancelled',
    'conflict',
  ]),
  output: { status: 200, body: sessionLease },
});

const servedRenew = work(renew, {
  name: 'renewSession',
  body: { name: 'RenewSession', of: () => renewInput },
  calls: {
    method: 'renew',
    call: (sessions, { id, body }) => sessions.renew(id, body),
  },
});

export const release = posted({
  path: '/release-session/{session_id}',
  errors: errorsOf<SessionService['release']>()(turnCodes),
  output: { status: 200, body: released },
});

const servedRelease = work(release, {
  name: 'releaseSession',
  body: { name: 'ReleaseSession', of: releaseInput },
  calls: {
    method: 'release',
    call: (sessions, { id, body }) => sessions.release(id, given(body)),
  },
});

export const take = posted({
  path: '/take-messages/{session_id}',
  errors: errorsOf<SessionService['take']>()(turnCodes),
  output: { status: 200, body: takenMessages, isCounted: true },
});

const servedTake = work(take, {
  name: 'takeMessages',
  body: { name: 'TakeMessages', of: takeInput },
  calls: {
    method: 'take',
    call: (sessions, { id, body }) => sessions.take(id, given(body)),
  },
});

export const wake = posted({
  path: '/wake-session/{session_id}',
  errors: errorsOf<SessionService['wake']>()(['not_found', 'invalid_transition', 'conflict']),
  output: { status: 204 },
});

const servedWake = work(wake, {
  name: 'wakeSession',
  body: { name: 'WakeSession', of: () => wakeOptions },
  calls: {
    method: 'wake',
    call: (sessions, { id, body }) => sessions.wake(id, given(body)),
  },
});

export const claim = posted({
  path: '/claim-sessions',
  errors: errorsOf<SessionService['claim']>()([]),
  output: { status: 200, body: claims, isCounted: true },
});

const servedClaim = work(claim, {
  name: 'claimSessions',
  body: { name: 'ClaimSessions', of: () => claimInput },
  calls: {
    method: 'claim',
    call: (sessions, { body }) => sessions.claim(given(body)),
  },
});

export const countWaiting = endpoint({
  method: 'GET',
  path: '/count-waiting-sessions',
  errors: errorsOf<SessionService['countWaiting']>()([]),
  output: { status: 200, body: waitingCount },
});

const servedCountWaiting = work(countWaiting, {
  name: 'countWaitingSessions',
  calls: { method: 'countWaiting', call: (sessions) => sessions.countWaiting() },
});

export const cancel = posted({
  path: '/cancel-work/{session_id}',
  errors: errorsOf<SessionService['cancel']>()(['not_found', 'invalid_transition', 'conflict']),
  output: { status: 204 },
});

export const servedCancel = work(cancel, {
  name: 'cancelWork',
  body: { name: 'CancelWork', of: () => cancelOptions },
  calls: {
    method: 'cancel',
    call: (sessions, { id, body }) => sessions.cancel(id, given(body)),
  },
});

export const workOperations = [
  servedLease,
  servedRenew,
  servedRelease,
  servedTake,
  servedWake,
  servedClaim,
  servedCountWaiting,
  servedCancel,
] as const;
