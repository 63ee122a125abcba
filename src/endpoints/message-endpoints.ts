import { answerQuery, sendBody, withdrawBody } from '../input/message-input.js';
import type { SessionService } from '../service/session-service.js';
import {
  type Endpoint,
  endpoint,
  errorsOf,
  type OperationError,
  posted,
  type ServedPart,
  served,
} from './endpoint.js';
import { REPLAYED_HEADER } from './headers.js';
import {
  answerToMessage,
  inboxMessages,
  sentMessage,
  withdrawnMessages,
} from './message-outputs.js';
import type { TenantMessages } from './tenant-sessions.js';

/* @__NO_SIDE_EFFECTS__ */
const message = <T, C extends OperationError>(
  at: Endpoint<T, C>,
  part: Omit<ServedPart<TenantMessages, T, C>, 'tag'>,
) => served(at, { tag: 'Messages', ...part });

export const send = posted({
  path: '/send-message/{session_id}',
  errors: errorsOf<SessionService['send']>()([
    'not_found',
    'invalid_transition',
    'operation_mismatch',
    'inbox_full',
    'conflict',
    'history_full',
    'too_many_active',
    'page_too_large',
  ]),
  output: { status: 200, body: sentMessage, headers: [REPLAYED_HEADER] },
});

export const servedSend = message(send, {
  name: 'sendMessage',
  body: { name: 'SendMessage', of: sendBody },
});

export const inbox = endpoint({
  method: 'GET',
  path: '/session/{session_id}/inbox',
  errors: errorsOf<SessionService['inbox']>()(['not_found']),
  output: { status: 200, body: inboxMessages },
});

export const servedInbox = message(inbox, {
  name: 'readInbox',
  calls: { method: 'inbox', call: (sessions, { id }) => sessions.inbox(id) },
});

export const answer = endpoint({
  method: 'GET',
  path: '/session/{session_id}/answer',
  errors: errorsOf<SessionService['answer'], 'too_many_streams'>()([
    'not_found',
    'not_answered',
    'withdrawn',
    'superseded',
    'page_too_large',
    'too_many_streams',
  ]),
  output: { status: 200, body: answerToMessage },
});

export const servedAnswer = message(answer, { name: 'awaitAnswer', query: answerQuery });

export const withdraw = posted({
  path: '/withdraw-messages/{session_id}',
  errors: errorsOf<SessionService['withdraw']>()(['not_found', 'conflict']),
  output: { status: 200, body: withdrawnMessages, isCounted: true },
});

export const servedWithdraw = message(withdraw, {
  name: 'withdrawMessages',
  body: { name: 'WithdrawMessages', of: () => withdrawBody },
  calls: {
    method: 'withdraw',
    call: (sessions, { id, body: { ids } }) => sessions.withdraw(id, ids ?? undefined),
  },
});
