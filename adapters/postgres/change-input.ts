import { nanoid } from 'nanoid';
import { type EventDetail, statusDetailOf } from '../../src/session/event-detail.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistoryUntil, endsAt } from '../../src/session/state-at.js';
import type { HistoryAppend, Opening, ReplaceOptions, SessionKey } from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { labelTexts } from '../shared/label-texts.js';
import { finite } from '../shared/never.js';
import { encodeEntry, encodeHead, encodeState } from '../shared/stored-json.js';

/*
 * The changes as the procedure change_all takes them: the fields of its type `change`. A field that
 * is undefined is null there.
 */

/** The columns of a state. */
const columnsOf = (state: StateRecord) => ({
  status: state.status,
  deadline: finite(endsAt(state)),
  accepts_until: finite(acceptsHistoryUntil(state)),
  grace: state.terms.graceMs,
  fencing_token: state.lease?.fencingToken ?? 0,
  leased_until: state.lease?.until ?? 0,
  unleased_since: unleasedSince(state),
  reports_end: state.terms.reportEnds,
  limit_ms: finite(state.limitMs),
  limit_end: state.status === 'ACTIVE' ? finite(state.deadline) : undefined,
  inactivity: finite(state.terms.inactivityTimeoutMs),
  last_activity: state.lastActivityAt,
  revision: state.revision,
  state: encodeState(state, state.labels),
  labels: labelTexts(state.labels).join(' '),
});

const escapedKey = ({ tenant, id }: SessionKey) => ({
  tenant: escapeName(tenant),
  id: escapeName(id),
});

/** Undefined if events are off. */
const detailOf = (hasEvents: boolean, detail: EventDetail | undefined): string | undefined =>
  hasEvents && detail !== undefined ? JSON.stringify(detail) : undefined;

export const insertInput = (
  hasEvents: boolean,
  tenant: string,
  head: SessionHead,
  state: StateRecord,
  opening: Opening | undefined,
) => {
  const { entries = [], source, active }: Partial<Opening> = opening ?? {};
  const createdMs = Date.parse(head.createdAt);
  const isStarted = opening !== undefined && state.status !== 'IDLE';
  return {
    kind: 'insert',
    ...escapedKey({ tenant, id: head.id }),
    ...columnsOf(state),
    created_ms: createdMs,
    incarnation: nanoid(12),
    head: encodeHead(head),
    detail: detailOf(hasEvents, { type: 'created', at: createdMs }),
    started: isStarted ? JSON.stringify(statusDetailOf(false, state)) : undefined,
    entries: entries.map(encodeEntry),
    source: source === undefined ? undefined : escapeName(source.id),
    version: source?.version,
    active_limit: active?.sessions,
    now: active?.now,
  } as const;
};

export const replaceInput = (
  hasEvents: boolean,
  key: SessionKey,
  previous: StateRecord,
  next: StateRecord,
  { event, cap }: ReplaceOptions,
) =>
  ({
    kind: 'replace',
    ...escapedKey(key),
    ...columnsOf(next),
    previous: previous.revision,
    since: next.since,
    is_change: event !== undefined,
    detail: detailOf(hasEvents, event),
    active_limit: cap?.sessions,
    now: cap?.now,
  }) as const;

export const appendInput = (hasEvents: boolean, key: SessionKey, append: HistoryAppend) =>
  ({
    kind: 'append',
    ...escapedKey(key),
    now: append.now,
    entries: append.entries.map(encodeEntry),
    operation: append.operation?.id,
    digest: append.operation?.digest,
    fencing_token: append.fencingToken,
    if_position: append.ifPosition,
    after: append.after,
    max_entries: append.maxEntries,
    has_events: hasEvents,
  }) as const;

export type ChangeInput =
  | ReturnType<typeof insertInput>
  | ReturnType<typeof replaceInput>
  | ReturnType<typeof appendInput>;
