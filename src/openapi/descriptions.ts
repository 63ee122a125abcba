import { END_ID } from '../endpoints/event-shapes.js';
import { cursorOf } from '../input/cursor.js';
import { listOrders } from '../input/list-query.js';
import { MAX_WAIT_MS } from '../input/message-input.js';
import {
  DEFAULT_HISTORY_LIMIT,
  HISTORY_LIMIT,
  KEY_LENGTH,
  PAGE_LIMIT,
  SEARCH_LIMIT,
  WARNING_SECONDS,
} from '../session/limits.js';
import { sessionStatuses } from '../session/session-status.js';
import type { Json } from './types.js';

/*
 * The texts of the OpenAPI document. They are separate from the definitions because the client
 * imports those and would contain the texts too. The definition of a host's operation may contain
 * its own.
 */

const SAMPLE_ID = 'V1StGXR8_Z5jdHi6B-myT';
const SAMPLE_TIME = '2026-01-31T18:00:00.000Z';

/** What an operation does beyond its name, by operation name. */
const operations: Readonly<Record<string, string>> = {
  listSessions:
    "A page of the sessions of the API key's tenant. A parameter that is given twice is refused, but for `labels` and `status`.",
  readHistory: 'Its last entries, those after a position, or those before one.',
  watchSession:
    'Server-Sent Events: a snapshot, then what has changed, and a snapshot again after a rewind or a redaction, until the session has ended. Each event but `unavailable` has an id for Last-Event-ID.',
  createSessionWithId: 'Under an id of your own.',
  getOrCreateSession: 'Under an id of your own. A session that is created is started too.',
  startSession: 'IDLE to ACTIVE.',
  pauseSession: 'ACTIVE to PAUSED.',
  resumeSession: 'PAUSED to ACTIVE.',
  extendSession: 'Changes the time limit and budgets of a session that has not ended.',
  updateSession: 'Changes labels and metadata, in any status.',
  spendBudget: 'Adds to the counters of a session. One that reaches its budget ends it.',
  failSession: 'Ends the session as failed.',
  appendHistory: 'In ACTIVE, PAUSED or the grace period.',
  rewindHistory:
    'In ACTIVE, PAUSED or the grace period. The history then has the entries up to `to`, and after them `entries`. If it does not end at `if_position`, nothing is changed.',
  redactHistory: 'Erases content, id and data of entries.',
  sendMessage: 'Puts a message into the inbox of an ACTIVE or PAUSED session, once for its id.',
  readInbox: 'The messages that wait.',
  awaitAnswer: 'Waits for the answer. If none comes in time, the message stays: ask again.',
  withdrawMessages: 'Withdraws messages that no turn has taken.',
  takeMessages: 'Stores what a turn has said so far, then takes what was sent since its claim.',
  renewSession: 'Extends a lease.',
  releaseSession: 'Ends a lease, and stores the last entries of its turn.',
  wakeSession: 'Lets a worker claim the session.',
  claimSessions: 'Leases sessions that wait for a worker.',
  cancelWork: 'Ends the lease and its turn, and drops wakes and retries.',
  deleteSession: 'Also succeeds if there is no such session.',
};

export interface ParameterText {
  readonly description: string;
  readonly example?: Json;
}

const atMost = `above ${HISTORY_LIMIT} counts as ${HISTORY_LIMIT}. Default: ${DEFAULT_HISTORY_LIMIT}.`;

const keyForm = `1 to ${KEY_LENGTH} printable ASCII characters, bare or in double quotes.`;

/**
 * Texts by parameter name in the service. Where operations differ, the key starts with the
 * operation name.
 */
const parameters: Readonly<Record<string, ParameterText>> = {
  id: { description: 'The id of the session.', example: SAMPLE_ID },
  idempotencyKey: {
    description: `Makes the request safe to repeat: the same key returns the same session. ${keyForm}`,
    example: 'order-17',
  },
  operationId: {
    description: `Makes the request safe to repeat: unique among the writes of this session. ${keyForm}`,
    example: 'turn-2',
  },
  fencingToken: {
    description: 'Refused unless this is the fencing token of the current lease.',
    example: 1,
  },
  'watchSession.cursor': {
    description: 'The last event that the client has received: the stream continues after it.',
    example: END_ID,
  },
  warnBefore: {
    description: `Seconds before the expiry when \`session.expiring\` is sent, 1 to ${WARNING_SECONDS}.`,
    example: 30,
  },
  warnAt: {
    description:
      'Share of a budget at which `session.expiring` is sent; 1 for never. Default: 0.9.',
    example: 0.9,
  },
  messageId: { description: 'The id of the message, percent-encoded.', example: 'm-1' },
  timeoutMs: {
    description: `Milliseconds to wait; above ${MAX_WAIT_MS} counts as that.`,
    example: 0,
  },
  limit: { description: `Sessions on a page; above ${PAGE_LIMIT} counts as ${PAGE_LIMIT}.` },
  page: { description: 'Default: 1. Not together with `cursor`.' },
  order: {
    description: `By the time of creation, or by the last update: then the list may examine at most ${SEARCH_LIMIT} sessions.`,
    example: listOrders[1],
  },
  status: {
    description: 'Only in one of these statuses, each as a parameter of its own.',
    example: sessionStatuses.slice(1, 3),
  },
  labels: {
    description: `Only with all of these labels, each as name:value. With several of them, a status or the order updated, at least one must have at most ${SEARCH_LIMIT} sessions.`,
    example: ['user:u-1'],
  },
  createdAfter: { description: 'Only sessions created later than this.', example: SAMPLE_TIME },
  createdBefore: { description: 'Only sessions created earlier than this.', example: SAMPLE_TIME },
  cursor: {
    description: 'The X-Next-Cursor of the page before. Not together with `page`.',
    example: cursorOf({ at: SAMPLE_TIME, id: SAMPLE_ID }),
  },
  historyLimit: {
    description: 'Maximum number of the latest entries of each history. Default: all.',
    example: 20,
  },
  last: { description: `How many entries from the end; ${atMost}`, example: 20 },
  'readHistory.after': {
    description:
      'A position that an append or another part returned, or 0. Not together with `last`.',
    example: 0,
  },
  before: {
    description: 'A position, to read the entries before it. Not together with `last` or `after`.',
  },
  'readHistory.limit': {
    description: `How many entries after \`after\` or before \`before\`; ${atMost}`,
  },
};

export const descriptions = { operations, parameters } as const;
