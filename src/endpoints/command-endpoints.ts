import { extendInput, redactBody, spendBody, updateBody } from '../input/command-inputs.js';
import { appendBody } from '../input/entries-input.js';
import { rewindBody } from '../input/rewind-input.js';
import type { Schema } from '../schema/schema.js';
import type { SessionService } from '../service/session-service.js';
import type { CallerCommand } from '../session/session-status.js';
import {
  type Endpoint,
  errorsOf,
  given,
  type OperationError,
  posted,
  type ServedPart,
  served,
} from './endpoint.js';
import { fencingToken, idempotencyKey, REPLAYED_HEADER } from './headers.js';
import { appended, sessionState, spent } from './outputs.js';
import type { TenantCommands } from './tenant-sessions.js';
import { workOperations } from './work-endpoints.js';

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

/* @__NO_SIDE_EFFECTS__ */
const command = <T, C extends OperationError>(
  at: Endpoint<T, C>,
  part: Omit<ServedPart<TenantCommands, T, C>, 'tag'>,
) => served(at, { tag: 'Commands', ...part });

/** A write that a key makes safe to repeat, and that a lease may guard. */
const write = <T, const E extends OperationError>(
  definition: Pick<Endpoint<T, E>, 'path' | 'errors'>,
  body: Schema<T>,
) =>
  posted({
    headers: { operationId: idempotencyKey, fencingToken },
    output: { status: 200, body, headers: [REPLAYED_HEADER] },
    ...definition,
  });

const change = (name: Exclude<CallerCommand, 'start'>) =>
  write({ path: `/${name}-session/{session_id}`, errors: changeErrors }, sessionState);

export const changes = {
  start: write({ path: '/start-session/{session_id}', errors: startErrors }, sessionState),
  pause: change('pause'),
  resume: change('resume'),
  terminate: change('terminate'),
  fail: change('fail'),
} as const satisfies Readonly<Record<CallerCommand, unknown>>;

/* @__NO_SIDE_EFFECTS__ */
const servedChange = (name: CallerCommand) =>
  command(changes[name], {
    name: `${name}Session`,
    calls: {
      method: name,
      call: (sessions, { id, options }) => sessions[name](id, options),
    },
  });

export const servedTerminate = servedChange('terminate');

export const extend = write(
  { path: '/extend-session/{session_id}', errors: changeErrors },
  sessionState,
);

const servedExtend = command(extend, {
  name: 'extendSession',
  body: { name: 'ExtendSession', of: extendInput, anyOf: ['timeLimit', 'budget'] },
  calls: {
    method: 'extend',
    call: (sessions, { id, body, options }) => sessions.extend(id, body, options),
  },
});

export const update = write(
  {
    path: '/update-session/{session_id}',
    errors: errorsOf<SessionService['update']>()([
      'not_found',
      'lease_lost',
      'cancelled',
      'conflict',
      'operation_mismatch',
    ]),
  },
  sessionState,
);

const servedUpdate = command(update, {
  name: 'updateSession',
  body: { name: 'UpdateSession', of: updateBody, anyOf: ['labels', 'metadata'] },
  calls: {
    method: 'update',
    call: (sessions, { id, body: { labels, metadata, ifRevision }, options }) =>
      sessions.update(id, { labels, metadata }, { ...options, ...given({ ifRevision }) }),
  },
});

export const spend = write(
  {
    path: '/spend-budget/{session_id}',
    errors: errorsOf<SessionService['spend']>()([
      'not_found',
      'invalid_transition',
      'lease_lost',
      'cancelled',
      'operation_mismatch',
    ]),
  },
  spent,
);

const servedSpend = command(spend, {
  name: 'spendBudget',
  body: { name: 'SpendBudget', of: () => spendBody },
  calls: {
    method: 'spend',
    call: (sessions, { id, body: { usage }, options }) => sessions.spend(id, usage, options),
  },
});

const appendCodes = [
  'not_found',
  'invalid_transition',
  'lease_lost',
  'cancelled',
  'history_full',
  'history_moved',
  'operation_mismatch',
] as const;

export const append = write(
  {
    path: '/append-history/{session_id}',
    errors: errorsOf<SessionService['append']>()(appendCodes),
  },
  appended,
);

const servedAppend = command(append, {
  name: 'appendHistory',
  body: { name: 'AppendHistory', of: appendBody },
  calls: {
    method: 'append',
    call: (sessions, { id, body: { entries, ...body }, options }) =>
      sessions.append(id, entries, { ...options, ...given(body) }),
  },
});

export const rewind = write(
  {
    path: '/rewind-history/{session_id}',
    errors: errorsOf<SessionService['rewind']>()([...appendCodes, 'conflict', 'inbox_full']),
  },
  appended,
);

const servedRewind = command(rewind, {
  name: 'rewindHistory',
  body: { name: 'RewindHistory', of: rewindBody, anyOf: ['to', 'before', 'after'] },
  calls: {
    method: 'rewind',
    call: (sessions, { id, body, options }) => sessions.rewind(id, { ...given(body), ...options }),
  },
});

export const redact = posted({
  path: '/redact-history/{session_id}',
  errors: errorsOf<SessionService['redact']>()(['not_found']),
  output: { status: 204 },
});

const servedRedact = command(redact, {
  name: 'redactHistory',
  body: { name: 'RedactHistory', of: () => redactBody },
  calls: {
    method: 'redact',
    call: (sessions, { id, body: { positions } }) => sessions.redact(id, positions),
  },
});

export const remove = posted({
  path: '/delete-session/{session_id}',
  errors: errorsOf<SessionService['delete']>()(['conflict']),
  output: { status: 204 },
});

const servedRemove = command(remove, {
  name: 'deleteSession',
  calls: { method: 'delete', call: (sessions, { id }) => sessions.delete(id) },
});

export const commandOperations = () => [
  servedChange('start'),
  servedChange('pause'),
  servedChange('resume'),
  servedTerminate,
  servedChange('fail'),
  servedExtend,
  servedUpdate,
  servedSpend,
  servedAppend,
  servedRewind,
  servedRedact,
  ...workOperations,
  servedRemove,
];
