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
import type { CallerCommand } from '../session/session-status.js';
import { errorsOf, given, type Operation, type OperationError, posted } from './operation.js';
import { appended, REPLAYED_HEADER, sessionState } from './outputs.js';
import { fencingToken, idempotencyKey } from './parameters.js';
import type { Shape } from './shape.js';
import type { TenantCommands } from './tenant-sessions.js';
import { workOperations } from './work-operations.js';

const changeCodes = [
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'conflict',
  'operation_mismatch',
] as const;

const changeErrors =
  errorsOf<SessionService['pause' | 'extend' | 'terminate' | 'fail']>()(changeCodes);

const startErrors = errorsOf<SessionService['start']>()([...changeCodes, 'too_many_active']);

const command = posted('Commands');

/** A write that a key makes safe to repeat, and that a lease may guard. */
const write = <T, const E extends OperationError>(
  definition: Pick<Operation<TenantCommands, T, E>, 'name' | 'path' | 'body' | 'errors' | 'calls'>,
  shape: Shape<T>,
): Operation<TenantCommands, T, E> =>
  command({
    headers: { operationId: idempotencyKey, fencingToken },
    output: { status: 200, shape, headers: [REPLAYED_HEADER] },
    ...definition,
  });

/** A command without arguments of its own. */
const change = (command: Exclude<CallerCommand, 'start'>) =>
  write(
    {
      name: `${command}Session`,
      path: `/${command}-session/{session_id}`,
      errors: changeErrors,
      calls: {
        method: command,
        call: (sessions, { id, options }) => sessions[command](id, options),
      },
    },
    sessionState,
  );

const start = write(
  {
    name: 'startSession',
    path: '/start-session/{session_id}',
    errors: startErrors,
    calls: { method: 'start', call: (sessions, { id, options }) => sessions.start(id, options) },
  },
  sessionState,
);

/** The commands of the state machine. */
export const changes = {
  start,
  pause: change('pause'),
  resume: change('resume'),
  terminate: change('terminate'),
  fail: change('fail'),
} as const satisfies Readonly<Record<CallerCommand, unknown>>;

export const extend = write(
  {
    name: 'extendSession',
    path: '/extend-session/{session_id}',
    body: { name: 'ExtendSession', fields: extendRules },
    errors: changeErrors,
    calls: {
      method: 'extend',
      call: (sessions, { id, body, options }) => sessions.extend(id, body, options),
    },
  },
  sessionState,
);

export const update = write(
  {
    name: 'updateSession',
    path: '/update-session/{session_id}',
    body: {
      name: 'UpdateSession',
      fields: { ...updateRules, ifRevision: revisionRule },
      anyOf: ['labels', 'metadata'],
    },
    errors: errorsOf<SessionService['update']>()([
      'not_found',
      'lease_lost',
      'cancelled',
      'conflict',
      'operation_mismatch',
    ]),
    calls: {
      method: 'update',
      call: (sessions, { id, body: { labels, metadata, ifRevision }, options }) =>
        sessions.update(id, { labels, metadata }, { ...options, ...given({ ifRevision }) }),
    },
  },
  sessionState,
);

const appendErrors = errorsOf<SessionService['append' | 'rewind']>()([
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'history_full',
  'history_moved',
  'operation_mismatch',
]);

export const append = write(
  {
    name: 'appendHistory',
    path: '/append-history/{session_id}',
    body: {
      name: 'AppendHistory',
      fields: {
        entries: { ...entriesRange, items: { name: 'NewHistoryEntry', fields: entryRules } },
        ifPosition: positionRule,
        wake: wakeRule,
      },
    },
    errors: appendErrors,
    calls: {
      method: 'append',
      call: (sessions, { id, body: { entries, ifPosition, wake }, options }) =>
        sessions.append(id, entries, { ...options, ...given({ ifPosition, wake }) }),
    },
  },
  appended,
);

export const rewind = write(
  {
    name: 'rewindHistory',
    path: '/rewind-history/{session_id}',
    body: {
      name: 'RewindHistory',
      fields: {
        ...rewindRules,
        wake: wakeRule,
        entries: {
          ...optionalEntriesRange,
          items: { name: 'NewHistoryEntry', fields: entryRules },
        },
      },
    },
    errors: appendErrors,
    calls: {
      method: 'rewind',
      call: (sessions, { id, body, options }) => sessions.rewind(id, { ...body, ...options }),
    },
  },
  appended,
);

export const redact = command({
  name: 'redactHistory',
  path: '/redact-history/{session_id}',
  body: { name: 'RedactHistory', fields: redactRules },
  errors: errorsOf<SessionService['redact']>()(['not_found']),
  output: { status: 204 },
  calls: {
    method: 'redact',
    call: (sessions: TenantCommands, { id, body: { positions } }) => sessions.redact(id, positions),
  },
});

export const remove = command({
  name: 'deleteSession',
  path: '/delete-session/{session_id}',
  errors: errorsOf<SessionService['delete']>()(['conflict']),
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
