import { entriesRange, entryRules } from '../input/rules.js';
import type { SessionService } from '../service/session-service.js';
import type { CallerCommand } from '../status.js';
import { errorsOf, operation } from './operation.js';
import { appended, sessionState } from './outputs.js';
import { operationId } from './parameters.js';
import type { TenantCommands } from './tenant-sessions.js';

const change = <C extends CallerCommand>(command: C, summary: string) =>
  operation({
    name: `${command}Session`,
    tag: 'Commands',
    summary,
    method: 'POST',
    path: `/${command}-session/{session_id}`,
    headers: { operationId },
    errors: errorsOf<SessionService[CallerCommand]>()([
      'invalid_input',
      'not_found',
      'store_unavailable',
      'corrupt_record',
      'invalid_transition',
      'conflict',
    ]),
    output: { status: 200, description: 'Where the session stands now.', shape: sessionState },
    calls: { method: command, call: (sessions: TenantCommands, { id, options }) => sessions[command](id, options) },
  });

/** The commands that move a session by the transition table. */
export const changes = {
  start: change('start', 'Start a session: IDLE to ACTIVE'),
  pause: change('pause', 'Pause a session: ACTIVE to PAUSED'),
  resume: change('resume', 'Resume a session: PAUSED to ACTIVE'),
  terminate: change('terminate', 'End a session'),
  fail: change('fail', 'End a session as failed'),
} as const satisfies Readonly<Record<CallerCommand, unknown>>;

export const append = operation({
  name: 'appendHistory',
  tag: 'Commands',
  summary: 'Append to the history of a session, while it is ACTIVE or PAUSED',
  method: 'POST',
  path: '/append-history/{session_id}',
  headers: { operationId },
  body: {
    name: 'AppendHistory',
    description: 'What to append. Other fields are ignored.',
    fields: {
      entries: {
        ...entriesRange,
        items: {
          name: 'NewHistoryEntry',
          description: 'A history entry. Without a timestamp it has that of its arrival.',
          fields: {
            role: { rule: entryRules.role, description: 'Who said it; usually user or assistant.' },
            content: { rule: entryRules.content, description: 'What was said.' },
            timestamp: { rule: entryRules.timestamp, description: 'When it was said: RFC 3339.' },
          },
        },
        description: 'Oldest first. All of them are appended, or none.',
      },
    },
  },
  errors: errorsOf<SessionService['append']>()([
    'invalid_input',
    'not_found',
    'store_unavailable',
    'corrupt_record',
    'invalid_transition',
    'history_full',
  ]),
  output: { status: 200, description: 'The entries are appended.', shape: appended },
  calls: {
    method: 'append',
    call: (sessions: TenantCommands, { id, body, options }) => sessions.append(id, body['entries'], options),
  },
});

export const remove = operation({
  name: 'deleteSession',
  tag: 'Commands',
  summary: 'Delete a session',
  method: 'POST',
  path: '/delete-session/{session_id}',
  errors: errorsOf<SessionService['delete']>()(['invalid_input', 'store_unavailable', 'corrupt_record']),
  output: { status: 204, description: 'There is no such session any more, or there was none.' },
  calls: { method: 'delete', call: (sessions: TenantCommands, { id }) => sessions.delete(id) },
});
