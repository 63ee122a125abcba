import { timestampOf } from './clock.js';
import { sameJson } from './json.js';
import { changedLabels } from './labels.js';
import type { Counters, JsonObject } from './session.js';
import type { EventBase, SessionEvent } from './session-event.js';
import type { SessionKey } from './session-key.js';
import type { LeaseRecord, StateRecord } from './session-record.js';
import type { EndReason } from './session-status.js';
import { isExhausted, wakeAtOf } from './work-state.js';

export interface ChangeId {
  /** Distinguishes sessions that had the same id one after another. */
  readonly incarnation: string;
  readonly sequence: number;
}

/** The positions of the entries of an append: after `start`, up to `position`. */
export interface AppendedPart {
  readonly start: number;
  readonly position: number;
}

/** What an update has changed. */
export interface UpdatedData {
  /** The names of the labels that were set or removed, sorted. */
  readonly labelsChanged: readonly string[];
  /** Present if the metadata has changed. */
  readonly metadataChanged?: true;
}

const simpleEvents = [
  'created',
  'started',
  'paused',
  'resumed',
  'woken',
  'sent',
  'withdrawn',
  'spent',
  'cancelled',
  'exhausted',
  'deleted',
] as const;

/** The events that have no details but their time. */
export type SimpleEvent = (typeof simpleEvents)[number];

export const isSimpleEvent = (type: unknown): type is SimpleEvent =>
  simpleEvents.some((known) => known === type);

/**
 * The type of a change and its details, besides an append. `at` and `endsAt` are in milliseconds
 * since the epoch; `endsAt` is the new deadline, if there is one. `limitMs` is 0 for no limit.
 */
export type ChangeDetail =
  | { readonly type: SimpleEvent; readonly at: number }
  | { readonly type: 'leased' | 'released'; readonly at: number; readonly fencingToken: number }
  | {
      readonly type: 'terminated';
      readonly at: number;
      readonly endReason: EndReason;
      readonly usage?: Counters;
    }
  | {
      readonly type: 'extended';
      readonly at: number;
      readonly limitMs: number;
      readonly endsAt?: number;
    }
  | ({ readonly type: 'updated'; readonly at: number } & UpdatedData)
  | { readonly type: 'redacted'; readonly at: number; readonly positions: readonly number[] };

/** An append. `after`: the position to which it has rewound the history. */
export interface AppendDetail {
  readonly type: 'appended';
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  readonly after?: number;
}

/** The type of a change and its details, as the log has them. */
export type EventDetail = ChangeDetail | (AppendDetail & AppendedPart);

export const detailOf = (event: ChangeDetail | AppendDetail, part: AppendedPart): EventDetail =>
  event.type === 'appended' ? { ...event, ...part } : event;

/**
 * The detail of a state that the session has just entered. IDLE means that the session was created.
 */
export const statusDetailOf = (wasPaused: boolean, state: StateRecord): ChangeDetail => {
  const at = state.since;
  if (state.status === 'TERMINATED') {
    const { endReason, budget } = state;
    return { type: 'terminated', at, endReason, ...(budget && { usage: budget.used }) };
  }
  if (state.status === 'PAUSED') return { type: 'paused', at };
  if (state.status === 'IDLE') return { type: 'created', at };
  return { type: wasPaused ? 'resumed' : 'started', at };
};

export const leaseDetailOf = ({ fencingToken, takenAt, releasedAt }: LeaseRecord): ChangeDetail => {
  if (releasedAt === undefined) return { type: 'leased', at: takenAt, fencingToken };
  return { type: 'released', at: releasedAt, fencingToken };
};

const NEVER = Number.POSITIVE_INFINITY;

const extensionDetailOf = ({
  lastActivityAt: at,
  limitMs,
  deadline,
}: StateRecord): ChangeDetail => ({
  type: 'extended',
  at,
  limitMs: limitMs < NEVER ? limitMs : 0,
  ...(deadline < NEVER && { endsAt: deadline }),
});

const isExtended = (previous: StateRecord, next: StateRecord): boolean =>
  previous.limitMs !== next.limitMs || !sameJson(previous.budget?.limits, next.budget?.limits);

const noMetadata: JsonObject = Object.freeze({});

const updateDetailOf = (
  previous: StateRecord,
  next: StateRecord,
  at: number,
): ChangeDetail | undefined => {
  const isSame = sameJson(previous.metadata ?? noMetadata, next.metadata ?? noMetadata);
  const labelsChanged = changedLabels(previous.labels, next.labels);
  if (isSame && labelsChanged.length === 0) return undefined;
  return { type: 'updated', at, labelsChanged, ...(!isSame && { metadataChanged: true }) };
};

const wantedAt = ({ work }: StateRecord): number => work.wakeAt ?? NEVER;

/** A message that is to be answered again waits for another attempt. */
const retriedAt = ({ work }: StateRecord): number => work.retryAt ?? NEVER;

/**
 * The detail of the change from one state to the next at `now`, in milliseconds since the epoch;
 * undefined if this is not a change, for example a renewed lease.
 *
 * @example
 * ```ts
 * const before = unwrap(store.findState({ tenant: 'acme', id }));
 * await sessions.orThrow.pause(id);
 * const after = unwrap(store.findState({ tenant: 'acme', id }));
 * if (before && after) console.log(changeDetailOf(before, after, Date.now())?.type); // paused
 * ```
 */
export const changeDetailOf = (
  previous: StateRecord,
  next: StateRecord,
  now: number,
): ChangeDetail | undefined => {
  if (previous.status !== next.status) return statusDetailOf(previous.status === 'PAUSED', next);
  if (isExhausted(next) && !isExhausted(previous)) return { type: 'exhausted', at: now };
  const [before, lease] = [previous.work.lease, next.work.lease];
  const isTaken = lease?.fencingToken !== before?.fencingToken;
  const isReleased = lease?.releasedAt !== undefined && before?.releasedAt === undefined;
  const isCancelled = lease?.cancelled !== undefined && before?.cancelled === undefined;
  if (isCancelled && !isTaken) return { type: 'cancelled', at: now };
  if (lease !== undefined && (isTaken || isReleased)) return leaseDetailOf(lease);
  if (isExtended(previous, next)) return extensionDetailOf(next);
  const isWoken = wantedAt(next) < wantedAt(previous) || retriedAt(next) < retriedAt(previous);
  if (isWoken) return { type: 'woken', at: now };
  // Only `cancel` clears a wake without a lease.
  if (wakeAtOf(previous) < NEVER && wakeAtOf(next) === NEVER) return { type: 'cancelled', at: now };
  return updateDetailOf(previous, next, now);
};

export const eventOf = (
  { tenant, id: sessionId }: SessionKey,
  { incarnation, sequence }: ChangeId,
  detail: EventDetail,
  position: string,
): SessionEvent => {
  const id = `${incarnation}.${sequence}`;
  const base = { id, tenant, sessionId, sequence, at: timestampOf(detail.at), position };
  return Object.freeze(toldOf(base, detail));
};

const toldOf = (base: EventBase, detail: EventDetail): SessionEvent => {
  switch (detail.type) {
    case 'appended': {
      const { start, position: historyPosition, after } = detail;
      const rewound = after !== undefined && { rewoundTo: after };
      return { ...base, type: 'session.appended', start, historyPosition, ...rewound };
    }
    case 'terminated': {
      const { endReason, usage } = detail;
      return { ...base, type: 'session.terminated', endReason, ...(usage && { usage }) };
    }
    case 'leased':
    case 'released':
      return { ...base, type: `session.${detail.type}`, fencingToken: detail.fencingToken };
    case 'extended': {
      const { limitMs, endsAt } = detail;
      const ends = endsAt !== undefined && { endsAt: timestampOf(endsAt) };
      return { ...base, type: 'session.extended', timeLimit: limitMs / 1000, ...ends };
    }
    case 'redacted':
      return { ...base, type: 'session.redacted', positions: Object.freeze([...detail.positions]) };
    case 'updated': {
      const { metadataChanged } = detail;
      const labelsChanged = Object.freeze([...detail.labelsChanged]);
      return {
        ...base,
        type: 'session.updated',
        labelsChanged,
        ...(metadataChanged && { metadataChanged }),
      };
    }
    default:
      return { ...base, type: `session.${detail.type}` };
  }
};
