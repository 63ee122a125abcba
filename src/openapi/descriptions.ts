import { cursorOf } from '../input/parse-cursor.js';
import { listOrders } from '../input/rule.js';
import { END_ID } from '../operations/event-shapes.js';
import {
  DEFAULT_HISTORY_LIMIT,
  HISTORY_LIMIT,
  PAGE_LIMIT,
  SEARCH_LIMIT,
  WARNING_SECONDS,
} from '../session/session-limits.js';
import { sessionStatuses } from '../session/session-status.js';
import { properties } from './property-texts.js';
import type { Json } from './types.js';

/*
 * The texts of the OpenAPI document. They are separate from the definitions because the client
 * imports those and would contain the texts too. The definition of a host's operation may contain
 * its own.
 */

export const SAMPLE_ID = 'V1StGXR8_Z5jdHi6B-myT';
export const SAMPLE_TIME = '2026-01-31T18:00:00.000Z';

export interface OperationText {
  readonly summary: string;
  readonly description?: string;
  /** Response descriptions by status code. */
  readonly outputs: Readonly<Record<number, string>>;
}

const moved = { 200: 'The current state of the session.' };

/** Texts by operation name. */
const operations: Readonly<Record<string, OperationText>> = {
  createSession: {
    summary: 'Create a session',
    outputs: { 201: 'The session was created. Its status is IDLE.' },
  },
  listSessions: {
    summary: 'List sessions',
    description:
      "A page of the sessions of the API key's tenant. A parameter that is given twice is refused, but for `labels` and `status`; unknown ones are ignored.",
    outputs: { 200: 'A page of sessions, which may be empty.' },
  },
  getSession: { summary: 'Get a session', outputs: { 200: 'The session with its history.' } },
  readHistory: {
    summary: 'Read a part of a history',
    description: 'Its last entries, those after a position, or those before one.',
    outputs: { 200: 'The entries, oldest first.' },
  },
  watchSession: {
    summary: 'Follow a session',
    description:
      'Server-Sent Events: a snapshot, then what has changed, and a snapshot again after a rewind or a redaction, until the session has ended. Each event but `unavailable` has an id for Last-Event-ID.',
    outputs: {
      200: 'The events until the session ends. Lines that begin with a colon are heartbeats.',
      204: 'The stream has ended, and the client has received its end.',
    },
  },
  createSessionWithId: {
    summary: 'Create a session with an id of your own',
    outputs: { 201: 'The session was created.' },
  },
  getOrCreateSession: {
    summary: 'Get the session with an id of your own, or create and start it',
    outputs: { 200: 'The session that exists.', 201: 'The session that was created.' },
  },
  startSession: { summary: 'Start a session: IDLE to ACTIVE', outputs: moved },
  pauseSession: { summary: 'Pause a session: ACTIVE to PAUSED', outputs: moved },
  resumeSession: { summary: 'Resume a session: PAUSED to ACTIVE', outputs: moved },
  extendSession: {
    summary: 'Change the time limit of a session that has not ended',
    outputs: moved,
  },
  updateSession: {
    summary: 'Change labels and metadata of a session in any status',
    outputs: moved,
  },
  terminateSession: { summary: 'End a session', outputs: moved },
  failSession: { summary: 'End a session as failed', outputs: moved },
  appendHistory: {
    summary: 'Append to the history of a session, while it is ACTIVE or PAUSED',
    outputs: { 200: 'The entries are appended.' },
  },
  rewindHistory: {
    summary: 'Go back in the history of a session, while it is ACTIVE or PAUSED',
    description:
      'The history then has the entries up to `to`, and after them `entries`. If it does not end at `if_position`, nothing is changed.',
    outputs: { 200: 'The history is rewound.' },
  },
  redactHistory: {
    summary: 'Erase entries: their content, id and data',
    outputs: { 204: 'The entries are redacted.' },
  },
  leaseSession: { summary: 'Lease a session', outputs: { 200: 'The lease.' } },
  renewSession: { summary: 'Extend a lease', outputs: { 200: 'The lease.' } },
  releaseSession: { summary: 'End a lease', outputs: { 204: 'The lease is over.' } },
  wakeSession: {
    summary: 'Let a worker claim a session',
    outputs: { 204: 'The session waits for a worker.' },
  },
  claimSessions: {
    summary: 'Lease sessions that wait for a worker',
    outputs: { 200: 'The sessions and their leases; none if none waits.' },
  },
  countWaitingSessions: {
    summary: 'Count the sessions that wait for a worker',
    outputs: { 200: 'How many wait.' },
  },
  cancelWork: {
    summary: 'Cancel the work on a session',
    outputs: { 204: 'Nobody works on the session.' },
  },
  deleteSession: {
    summary: 'Delete a session',
    outputs: { 204: 'The session was deleted, or did not exist.' },
  },
};

export interface ParameterText {
  readonly description: string;
  readonly example?: Json;
}

const atMost = `above ${HISTORY_LIMIT} counts as ${HISTORY_LIMIT}. Default: ${DEFAULT_HISTORY_LIMIT}.`;

/**
 * Texts by parameter name in the service. Where operations differ, the key starts with the
 * operation name.
 */
const parameters: Readonly<Record<string, ParameterText>> = {
  id: { description: 'The id of the session.', example: SAMPLE_ID },
  idempotencyKey: {
    description:
      'Makes the request safe to repeat: the same key returns the same session. May be in double quotes.',
    example: 'order-17',
  },
  operationId: {
    description:
      'Makes the request safe to repeat: unique among the writes of this session. May be in double quotes.',
    example: 'turn-2',
  },
  fencingToken: {
    description: 'The request is refused unless this is the fencing token of the current lease.',
    example: 1,
  },
  'watchSession.cursor': {
    description:
      'The id of the last event that the client has received. The stream continues after it.',
    example: END_ID,
  },
  warnBefore: {
    description: `Seconds before the end by the clock when \`session.expiring\` is sent, 1 to ${WARNING_SECONDS}.`,
    example: 30,
  },
  limit: { description: `Sessions on a page; above ${PAGE_LIMIT} counts as ${PAGE_LIMIT}.` },
  page: { description: 'The number of the page. Default: 1. Not together with `cursor`.' },
  order: {
    description: `By the time of creation, or by the last update: then the list may examine at most ${SEARCH_LIMIT} sessions.`,
    example: listOrders[1],
  },
  status: {
    description:
      'Only the sessions that are in one of these statuses, each as a parameter of its own.',
    example: sessionStatuses.slice(1, 3),
  },
  labels: {
    description: `Only with all of these labels, each as name:value. With several of them, a status or the order updated, at least one must have at most ${SEARCH_LIMIT} sessions.`,
    example: ['user:u-1'],
  },
  createdAfter: { description: 'Only what was created later than this.', example: SAMPLE_TIME },
  createdBefore: { description: 'Only what was created earlier than this.', example: SAMPLE_TIME },
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

/** Texts by schema name. */
const schemas: Readonly<Record<string, string>> = {
  Timestamp: 'RFC 3339.',
  CreateSession: 'What to create. Other fields are ignored.',
  GetOrCreateSession:
    'What to create if there is no session with this id. Other fields are ignored.',
  GetOrCreateResult: 'The session, and whether it was created by this request.',
  CreatedSession: 'The session that was created.',
  SessionStatus: 'The status of a session.',
  SessionOptions:
    'The configuration of a session, as in CreateSession, with its current time limit.',
  HistoryEntry: 'One message of a session.',
  Session: 'A session as it is at the moment of reading.',
  EndReason: 'Why the session has ended.',
  SessionState: 'The state of a session.',
  LeaseSession: 'Who leases the session, and for how long. Other fields are ignored.',
  RenewSession: 'Which lease to extend, and for how long from now on. Other fields are ignored.',
  ReleaseSession: 'Which lease to end. Other fields are ignored.',
  SessionLease: 'A lease on a session.',
  WakeSession: 'From when on. Other fields are ignored.',
  ClaimSessions: 'Who claims, for how long, and how many. Other fields are ignored.',
  CancelWork: 'Why. Other fields are ignored.',
  ClaimedSession: 'A session and the lease on it.',
  Claims: 'The sessions that were claimed.',
  WaitingCount: 'How many sessions wait for a worker.',
  SessionOrigin:
    'The session that another one was forked from, and the position in its history where the copy ends.',
  AppendHistory: 'What to append. Other fields are ignored.',
  NewHistoryEntry: 'A history entry. Without a timestamp, it gets the time at which it arrives.',
  RewindHistory: 'Where to go back to, and what follows. Other fields are ignored.',
  AppendedHistory: 'The result of an append or a rewind.',
  HistoryPart: 'A part of a history.',
  PositionedHistoryEntry: 'A history entry with its position.',
  ExtendSession: 'The new time limit. Other fields are ignored.',
  UpdateSession: 'The labels, the metadata, or both, to change. Other fields are ignored.',
  RedactHistory: 'The entries to erase. Other fields are ignored.',
  SessionSummary: 'A session without its history.',
  SessionChangedEvent: 'The session has changed, once or more often.',
  SessionDeletedEvent: 'The session was deleted.',
  SessionExpiringEvent: 'The clock ends the session soon.',
  StreamEnd: 'The last event: the session has ended, or is deleted and has no end_reason.',
  StreamUnavailable: 'The last event of a stream whose store cannot be reached.',
  ProblemCode: 'The error code, for programs.',
  Problem: 'An error: the members of RFC 9457, a code, and for bad input what is wrong with it.',
};

/** The texts of the document. */
export const descriptions = { operations, parameters, schemas, properties } as const;
