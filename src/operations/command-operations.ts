import type { ResultAsync } from 'neverthrow';
import {
  entriesRange,
  entryRules,
  extendRules,
  optionalEntriesRange,
  positionRule,
  redactRules,
  revisionRule,
  rewindRules,
  updateRules,
  wakeRule,
} from '../input/rule.js';
import type { SessionService } from '../service/session-service.js';
import type { SessionError } from '../session/errors.js';
import type { SessionState } from '../session/session.js';
import type { CallerCommand } from '../session/session-status.js';
import {
  commonErrors,
  errorsOf,
  given,
  type OperationError,
  type OperationInput,
  operation,
} from './operation.js';
import { appended, REPLAYED_HEADER, sessionState } from './outputs.js';
import { fencingToken, operationId } from './parameters.js';
import type { TenantCommands } from './tenant-sessions.js';
import { workOperations } from './work-operations.js';

const changeErrors = errorsOf<SessionService['pause' | 'extend' | 'terminate' | 'fail']>()([
  ...commonErrors,
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'conflict',
  'operation_mismatch',
]);

const startErrors = errorsOf<SessionService['start']>()([...changeErrors, 'too_many_active']);

const change = <C extends CallerCommand, E extends OperationError>(
  command: C,
  errors: readonly E[],
  call: (
    sessions: TenantCommands,
    input: OperationInput,
  ) => ResultAsync<SessionState, SessionError & { type: E }>,
) =>
  operation({
    name: `${command}Session`,
    tag: 'Commands',
    method: 'POST',
    path: `/${command}-session/{session_id}`,
    headers: { operationId, fencingToken },
    errors,
    output: { status: 200, shape: sessionState, headers: [REPLAYED_HEADER] },
    calls: { method: command, call },
  });

/** The commands of the state machine. */
export const changes = {
  start: change('start', startErrors, (sessions, { id, options }) => sessions.start(id, options)),
  pause: change('pause', changeErrors, (sessions, { id, options }) => sessions.pause(id, options)),
  resume: change('resume', changeErrors, (sessions, { id, options }) =>
    sessions.resume(id, options),
  ),
  terminate: change('terminate', changeErrors, (sessions, { id, options }) =>
    sessions.terminate(id, options),
  ),
  fail: change('fail', changeErrors, (sessions, { id, options }) => sessions.fail(id, options)),
} as const satisfies Readonly<Record<CallerCommand, unknown>>;

export const extend = operation({
  name: 'extendSession',
  tag: 'Commands',
  method: 'POST',
  path: '/extend-session/{session_id}',
  headers: { operationId, fencingToken },
  body: { name: 'ExtendSession', fields: extendRules },
  errors: changeErrors,
  output: { status: 200, shape: sessionState, headers: [REPLAYED_HEADER] },
  calls: {
    method: 'extend',
    call: (sessions: TenantCommands, { id, body, options }) => sessions.extend(id, body, options),
  },
});

export const update = operation({
  name: 'updateSession',
  tag: 'Commands',
  method: 'POST',
  path: '/update-session/{session_id}',
  headers: { operationId, fencingToken },
  body: {
    name: 'UpdateSession',
    fields: { ...updateRules, ifRevision: revisionRule },
    anyOf: ['labels', 'metadata'],
  },
  errors: errorsOf<SessionService['update']>()([
    ...commonErrors,
    'not_found',
    'lease_lost',
    'cancelled',
    'conflict',
    'operation_mismatch',
  ]),
  output: { status: 200, shape: sessionState, headers: [REPLAYED_HEADER] },
  calls: {
    method: 'update',
    call: (sessions: TenantCommands, { id, body: { labels, metadata, ifRevision }, options }) =>
      sessions.update(id, { labels, metadata }, { ...options, ...given({ ifRevision }) }),
  },
});

const appendErrors = errorsOf<SessionService['append' | 'rewind']>()([
  ...commonErrors,
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'history_full',
  'history_moved',
  'operation_mismatch',
]);

export const append = operation({
  name: 'appendHistory',
  tag: 'Commands',
  method: 'POST',
  path: '/append-history/{session_id}',
  headers: { operationId, fencingToken },
  body: {
    name: 'AppendHistory',
    fields: {
      entries: { ...entriesRange, items: { name: 'NewHistoryEntry', fields: entryRules } },
      ifPosition: positionRule,
      wake: wakeRule,
    },
  },
  errors: appendErrors,
  output: { status: 200, shape: appended, headers: [REPLAYED_HEADER] },
  calls: {
    method: 'append',
    call: (sessions: TenantCommands, { id, body: { entries, ifPosition, wake }, options }) =>
      sessions.append(id, entries, { ...options, ...given({ ifPosition, wake }) }),
  },
});

export const rewind = operation({
  name: 'rewindHistory',
  tag: 'Commands',
  method: 'POST',
  path: '/rewind-history/{session_id}',
  headers: { operationId, fencingToken },
  body: {
    name: 'RewindHistory',
    fields: {
      ...rewindRules,
      wake: wakeRule,
      entries: { ...optionalEntriesRange, items: { name: 'NewHistoryEntry', fields: entryRules } },
    },
  },
  errors: appendErrors,
  output: { status: 200, shape: appended, headers: [REPLAYED_HEADER] },
  calls: {
    method: 'rewind',
    call: (sessions: TenantCommands, { id, body, options }) =>
      sessions.rewind(id, { ...body, ...options }),
  },
});

export const redact = operation({
  name: 'redactHistory',
  tag: 'Commands',
  method: 'POST',
  path: '/redact-history/{session_id}',
  body: { name: 'RedactHistory', fields: redactRules },
  errors: errorsOf<SessionService['redact']>()([...commonErrors, 'not_found']),
  output: { status: 204 },
  calls: {
    method: 'redact',
    call: (sessions: TenantCommands, { id, body: { positions } }) => sessions.redact(id, positions),
  },
});

export const remove = operation({
  name: 'deleteSession',
  tag: 'Commands',
  method: 'POST',
  path: '/delete-session/{session_id}',
  errors: errorsOf<SessionService['delete']>()([...commonErrors, 'conflict']),
  output: { status: 204 },
  calls: { method: 'delete', call: (sessions: TenantCommands, { id }) => sessions.delete(id) },
});

/** The operations of `commandRoutes()`. */
export const commandOperations = [
  ...Object.values(changes),
  extend,
  update,
  append,
  rewind,
  redact,
  ...workOperations,
  remove,
] as const;
