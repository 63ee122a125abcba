import { entriesRange, entryRules } from '../input/rule.js';
import type { SessionService } from '../service/session-service.js';
import type { CallerCommand } from '../session/session-status.js';
import { commonErrors, errorsOf, operation } from './operation.js';
import { appended, sessionState } from './outputs.js';
import { operationId } from './parameters.js';
import type { TenantCommands } from './tenant-sessions.js';

const change = <C extends CallerCommand>(command: C) =>
  operation({
    name: `${command}Session`,
    tag: 'Commands',
    method: 'POST',
    path: `/${command}-session/{session_id}`,
    headers: { operationId },
    errors: errorsOf<SessionService[CallerCommand]>()([...commonErrors, 'not_found', 'invalid_transition', 'conflict']),
    output: { status: 200, shape: sessionState },
    calls: { method: command, call: (sessions: TenantCommands, { id, options }) => sessions[command](id, options) },
  });

/** The commands of the state machine. */
export const changes = {
  start: change('start'),
  pause: change('pause'),
  resume: change('resume'),
  terminate: change('terminate'),
  fail: change('fail'),
} as const satisfies Readonly<Record<CallerCommand, unknown>>;

export const append = operation({
  name: 'appendHistory',
  tag: 'Commands',
  method: 'POST',
  path: '/append-history/{session_id}',
  headers: { operationId },
  body: {
    name: 'AppendHistory',
    fields: { entries: { ...entriesRange, items: { name: 'NewHistoryEntry', fields: entryRules } } },
  },
  errors: errorsOf<SessionService['append']>()([...commonErrors, 'not_found', 'invalid_transition', 'history_full']),
  output: { status: 200, shape: appended },
  calls: {
    method: 'append',
    call: (sessions: TenantCommands, { id, body, options }) => sessions.append(id, body['entries'], options),
  },
});

export const remove = operation({
  name: 'deleteSession',
  tag: 'Commands',
  method: 'POST',
  path: '/delete-session/{session_id}',
  errors: errorsOf<SessionService['delete']>()(commonErrors),
  output: { status: 204 },
  calls: { method: 'delete', call: (sessions: TenantCommands, { id }) => sessions.delete(id) },
});

/** The operations of `commandRoutes()`. */
export const commandOperations = [...Object.values(changes), append, remove] as const;
