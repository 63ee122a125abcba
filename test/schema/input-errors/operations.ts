import type { NewHistoryEntry, PositionedEntry } from '../../../src/index.js';
import type { AppendOptions } from '../../../src/service/append-history.js';
import type { OperationOptions } from '../../../src/service/apply-command.js';
import type { CancelOptions } from '../../../src/service/cancel-work.js';
import type { ClaimInput } from '../../../src/service/claim-sessions.js';
import type { CreateSessionInput } from '../../../src/service/create-session.js';
import type { ExtendInput } from '../../../src/service/extend-session.js';
import type { LeaseInput, RenewInput } from '../../../src/service/lease-session.js';
import type { EachQuery, ListOptions, ListQuery } from '../../../src/service/list-sessions.js';
import type { HistoryQuery } from '../../../src/service/read-history.js';
import type { GetOptions } from '../../../src/service/read-session.js';
import type { ReleaseInput } from '../../../src/service/release-session.js';
import type { ReplyOptions } from '../../../src/service/reply.js';
import type { RewindInput } from '../../../src/service/rewind-history.js';
import type { SendOptions } from '../../../src/service/send-message.js';
import type { SweepOptions } from '../../../src/service/sweep-sessions.js';
import type { TakeInput } from '../../../src/service/turn.js';
import type { UpdateInput, UpdateOptions } from '../../../src/service/update-session.js';
import type { AnswerOptions } from '../../../src/service/wait-for-answer.js';
import type { WakeOptions } from '../../../src/service/wake-session.js';
import type { Fields } from '../../../src/session/fields.js';
import type { WatchAllOptions, WatchOptions } from '../../../src/session/session-event.js';
import { ANY, type RangesOf } from './entrance.js';

/** An operation, and which of its arguments is an object of fields. */
export interface Operation {
  readonly method: string;
  /** The arguments before the object. */
  readonly before: readonly unknown[];
  readonly root: string;
  readonly within?: string;
  readonly takesText?: true;
  readonly fits?: Fields;
  readonly fields: Fields;
}

const long = 'x'.repeat(100_000);
const entry = { role: 'user', content: 'hello' };

const writing: RangesOf<OperationOptions> = { operationId: long, fencingToken: 0 };
const leasing: RangesOf<LeaseInput> = { holder: '', seconds: 0 };
const each: RangesOf<EachQuery> = {
  limit: 0,
  order: 'largest',
  status: 'BUSY',
  labels: {},
  createdAfter: 'yesterday',
  createdBefore: 'today',
  cursor: 'x',
  historyLimit: -1,
};
const creating: RangesOf<CreateSessionInput> = {
  id: '',
  face: '',
  profile: long,
  context: long,
  behavior: long,
  timeLimit: -1,
  labels: { user: '' },
  metadata: { text: long },
  budget: { tokens: 0 },
  start: ANY,
  wake: ANY,
  from: { id: '' },
  entries: [{ role: '', content: '' }],
  idempotencyKey: long,
  historyLimit: -1,
};
const { idempotencyKey: _, ...opening } = creating;

const onSession = (
  method: string,
  root: string,
  fields: Fields,
  more: Partial<Operation> = {},
): Operation => ({ method, before: ['s1'], root, fields, ...more });

/** The operations that a service and a client have in common. */
export const commonOperations: readonly Operation[] = [
  { method: 'create', before: [], root: 'input', fields: creating },
  { method: 'getOrCreate', before: [], root: 'input', fields: opening, fits: { id: 's1' } },
  onSession('get', 'options', { historyLimit: -1 }),
  onSession('history', 'query', {
    last: 0,
    after: -1,
    before: -1,
    limit: 0,
  } satisfies RangesOf<HistoryQuery>),
  {
    method: 'list',
    before: [],
    root: 'query',
    fields: { ...each, page: 0 } satisfies RangesOf<ListQuery>,
  },
  { method: 'each', before: [], root: 'query', fields: each },
  ...['start', 'pause', 'resume', 'terminate', 'fail'].map((method) =>
    onSession(method, 'options', writing),
  ),
  onSession('extend', 'input', {
    timeLimit: -1,
    budget: { tokens: 0 },
  } satisfies RangesOf<ExtendInput>),
  onSession('extend', 'options', writing, { before: ['s1', { timeLimit: 5 }] }),
  onSession('update', 'input', {
    labels: { user: '' },
    metadata: { text: long },
  } satisfies RangesOf<UpdateInput>),
  onSession('update', 'options', { ...writing, ifRevision: 0 } satisfies RangesOf<UpdateOptions>, {
    before: ['s1', { labels: { user: 'u-1' } }],
  }),
  onSession('spend', 'options', writing, { before: ['s1', { tokens: 900 }] }),
  onSession(
    'append',
    'options',
    { ...writing, ifPosition: -1, usage: { tokens: -1 } } satisfies RangesOf<AppendOptions>,
    { before: ['s1', [entry]] },
  ),
  onSession(
    'rewind',
    'input',
    {
      ...writing,
      to: -1,
      before: '',
      after: '',
      ifPosition: -1,
      wake: ANY,
      send: { role: '', content: '' },
      entries: [{ role: '', content: '' }],
      usage: { tokens: -1 },
    } satisfies RangesOf<RewindInput>,
    { fits: { to: 0, ifPosition: 0 } },
  ),
  onSession('lease', 'input', leasing, { fits: { holder: 'worker', seconds: 5 } }),
  onSession('renew', 'input', { fencingToken: 0, seconds: 0 } satisfies RangesOf<RenewInput>, {
    fits: { fencingToken: 1, seconds: 5 },
  }),
  onSession(
    'release',
    'input',
    {
      fencingToken: 0,
      done: ANY,
      entries: [{ role: '', content: '' }],
      usage: { tokens: -1 },
      error: 5,
    } satisfies RangesOf<ReleaseInput>,
    { fits: { fencingToken: 1 } },
  ),
  onSession('send', 'options', { create: ANY } satisfies RangesOf<SendOptions>, {
    before: ['s1', 'hello'],
  }),
  onSession(
    'take',
    'input',
    {
      fencingToken: 0,
      after: [{ role: '', content: '' }],
      limit: 0,
    } satisfies RangesOf<TakeInput>,
    { fits: { fencingToken: 1 } },
  ),
  onSession('answer', 'options', { timeoutMs: -1, signal: {} } satisfies RangesOf<AnswerOptions>, {
    before: ['s1', 'm-1'],
  }),
  onSession('withLease', 'input', leasing, { fits: { holder: 'worker', seconds: 5 } }),
  onSession('wake', 'options', { at: 'soon' } satisfies RangesOf<WakeOptions>),
  onSession('cancel', 'options', { reason: '' } satisfies RangesOf<CancelOptions>),
  {
    method: 'claim',
    before: [],
    root: 'input',
    fits: { holder: 'worker', seconds: 5 },
    fields: {
      ...leasing,
      limit: 0,
      historyLimit: -1,
      attempts: 1001,
      messages: 0,
    } satisfies RangesOf<ClaimInput>,
  },
  onSession('watch', 'options', {
    cursor: 'x',
    warnBefore: 0,
    warnAt: 2,
    historyLimit: -1,
    signal: ANY,
  }),
];

const { method: _claim, ...claiming } = commonOperations.find(
  ({ method }) => method === 'claim',
) ?? { before: [], root: 'input', fields: {} };

/** The operations that only a service has. */
export const serviceOperations: readonly Operation[] = [
  onSession(
    'reply',
    'options',
    {
      create: ANY,
      timeoutMs: -1,
      maxSeconds: 0,
      messages: 0,
      historyLimit: -1,
      seconds: 0,
      attempts: 1001,
    } satisfies RangesOf<ReplyOptions>,
    { before: ['s1', 'hello', () => 'Yes.'] },
  ),
  { ...claiming, method: 'claimAny' },
  onSession('get', 'options', {
    historyLimit: -1,
    maxBytes: 0,
  } satisfies RangesOf<GetOptions>),
  onSession('watch', 'options', {
    cursor: 'x',
    warnBefore: 0,
    warnAt: 0,
    historyLimit: -1,
    leases: ANY,
    signal: ANY,
    onOpen: ANY,
  } satisfies RangesOf<WatchOptions>),
  {
    method: 'list',
    before: [{}],
    root: 'options',
    fields: { maxBytes: 0, withWatchCursor: ANY } satisfies RangesOf<ListOptions>,
  },
  {
    method: 'watchAll',
    before: [],
    root: 'options',
    fields: {
      cursor: 'x',
      entries: ANY,
      sessions: ANY,
      leases: ANY,
      signal: ANY,
      onOpen: ANY,
    } satisfies RangesOf<WatchAllOptions>,
  },
  {
    method: 'sweep',
    before: [10],
    root: 'options',
    fields: { onEnded: ANY, cursor: ANY } satisfies RangesOf<SweepOptions>,
  },
];

const spoken = {
  role: '',
  content: long.repeat(3),
  timestamp: 'noon',
  id: '',
  data: { text: long.repeat(3) },
  position: -1,
  turn: 0,
  message: ANY,
} satisfies RangesOf<NewHistoryEntry & Pick<PositionedEntry, 'position' | 'turn' | 'message'>>;

/** Entries and messages, of which each is an object of fields. */
export const entryOperations: readonly Operation[] = [
  onSession('append', 'entries[0]', spoken, { within: 'entries[0].', fits: entry }),
  onSession('send', 'message', spoken, { fits: entry, takesText: true }),
];

/** Operations whose only arguments are an id, or none. */
export const withoutFields = [
  'inbox',
  'withdraw',
  'countWaiting',
  'countWaitingAny',
  'delete',
  'drain',
  'redact',
];
