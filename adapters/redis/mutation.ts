import type { EventDetail } from '../../src/session/event-detail.js';
import { openingDetailsOf } from '../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type {
  ClaimRange,
  HistoryAppend,
  LiveLimit,
  Opening,
  Removal,
  ReplaceOptions,
  Rescheduling,
} from '../../src/store/session-store.js';
import { finite } from '../shared/never.js';
import { dueText, indexChangeOf, indexEntriesOf, indexesOf } from './index-entries.js';
import { encodeLines } from './journal.js';
import type { Keyspace, SessionKeys, TenantKeys } from './keyspace.js';
import {
  activityText,
  type DecodedRecord,
  encodeRecord,
  labelsLine,
  revisionText,
  stateFields,
  stateLine,
} from './record.js';

/**
 * A mutation of one session as `scripts/write.lua` takes it, which describes the keys and arguments
 * of each kind.
 */
export interface Mutation {
  readonly kind:
    | 'create'
    | 'replace'
    | 'remove'
    | 'append'
    | 'redact'
    | 'reschedule'
    | 'claim'
    | 'repair'
    | 'purge';
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const textOf = (value: number | string | undefined): string =>
  value === undefined ? '' : String(value);

/** The limit of live sessions, and the time at which they count. */
const capTexts = (cap: LiveLimit | undefined): readonly string[] => [
  textOf(cap?.sessions),
  textOf(cap?.now),
];

/** The indexes that a limit of live sessions counts. */
const liveOf = ({ byStatus, index }: SessionKeys): readonly string[] => [
  byStatus.ACTIVE ?? index,
  byStatus.PAUSED ?? index,
];

/** An event of a session as text. */
const eventText = (
  { sessionKey }: SessionKeys,
  incarnation: string,
  sequence: number,
  detail: EventDetail,
): string => {
  return `1 ${incarnation} ${sequence} ${sessionKey} ${JSON.stringify(detail)}`;
};

/** What a new session needs. */
export interface Creation {
  readonly keyspace: Keyspace;
  readonly hasEvents: boolean;
  readonly incarnation: string;
  readonly tenant: string;
  readonly head: SessionHead;
  readonly state: StateRecord;
  readonly opening: Opening | undefined;
}

export const creation = (keys: SessionKeys, creating: Creation): Mutation => {
  const { keyspace, hasEvents, incarnation, tenant, head, state, opening } = creating;
  const { entries = [], source, cap } = opening ?? {};
  const lines = encodeLines(entries);
  const details = openingDetailsOf(
    head.createdAt,
    opening && state,
    entries.length === 0 ? undefined : Buffer.byteLength(lines),
  );
  const counts = {
    sequence: details.length,
    entries: entries.length,
    bytes: Buffer.byteLength(lines),
  };
  const events = details.map((detail, at) => eventText(keys, incarnation, at + 1, detail));
  const [created = '', second = '', third = ''] = hasEvents ? events : [];
  const added = indexEntriesOf(keys, state);
  const byCreation = String(Date.parse(head.createdAt));
  const origin = source === undefined ? keys.record : keyspace.of({ tenant, id: source.id }).record;
  const { record, journal, deadlines, tenants, idKey, tenantKey } = keys;
  return {
    kind: 'create',
    keys: [
      record,
      journal,
      deadlines,
      tenants,
      origin,
      ...liveOf(keys),
      ...added.map(({ index }) => index),
    ],
    args: [
      ...[idKey, tenantKey, dueText(state), encodeRecord(incarnation, head, state, counts), lines],
      ...[textOf(source?.version), ...capTexts(cap)],
      ...[created, second, third],
      ...added.map(({ score }) => score || byCreation),
    ],
  };
};

/** The fields of a change of state that its record gets. */
const fieldsOf = (state: StateRecord): readonly string[] => [
  revisionText(state.revision),
  activityText(state.lastActivityAt),
  stateFields(state),
  labelsLine(state),
  stateLine(state),
];

export const replacement = (
  keys: SessionKeys,
  previous: StateRecord,
  next: StateRecord,
  { event, cap }: ReplaceOptions,
  hasEvents: boolean,
): Mutation => {
  const { record, deadlines, tenants, idKey, tenantKey, sessionKey } = keys;
  const { added, lost } = indexChangeOf(keys, previous, next);
  const isDue = dueText(previous) !== '' || dueText(next) !== '';
  const isLogged = event !== undefined && hasEvents;
  return {
    kind: 'replace',
    keys: [
      record,
      deadlines,
      tenants,
      ...liveOf(keys),
      ...added.map(({ index }) => index),
      ...lost,
    ],
    args: [
      ...[idKey, tenantKey, revisionText(previous.revision), ...fieldsOf(next)],
      ...[dueText(next), isDue ? '1' : '', event === undefined ? '' : '1'],
      isLogged ? `${sessionKey} ${JSON.stringify(event)}` : '',
      ...capTexts(cap),
      String(added.length),
      ...added.map(({ score }) => score),
    ],
  };
};

/** What is left of a removed session as a record, which scripts change like any other one. */
const encodeRemains = (id: string, state: StateRecord): string => {
  const options = { face: '', profile: '', behavior: '', context: '', timeLimit: 0 };
  const head = { id, options, createdAt: new Date(0).toISOString() };
  return encodeRecord('0'.repeat(12), head, state, { sequence: 1, entries: 0, bytes: 0 });
};

export const removal = (
  keys: SessionKeys,
  keyspace: Keyspace,
  { revision, now = Date.now(), remains }: Removal,
  hasEvents: boolean,
): Mutation => {
  const {
    tenant,
    id,
    isLeft,
    record,
    journal,
    operations,
    deadlines,
    tenants,
    labels,
    idKey,
    tenantKey,
    sessionKey,
  } = keys;
  const left = remains && keyspace.of({ tenant, id, removal: remains.removal });
  const own = isLeft ? [record, record] : [journal, operations];
  return {
    kind: 'remove',
    keys: [record, ...own, deadlines, tenants, left?.record ?? record, ...indexesOf(keys)],
    args: [
      ...[idKey, tenantKey, revision === undefined ? '' : revisionText(revision), String(now)],
      ...[hasEvents && !isLeft ? sessionKey : '', labels, textOf(left?.idKey)],
      ...(remains === undefined
        ? ['', '']
        : [dueText(remains.state), encodeRemains(id, remains.state)]),
    ],
  };
};

export const addition = (
  keys: SessionKeys,
  append: HistoryAppend,
  hasEvents: boolean,
): Mutation => {
  const { entries, now, operation, after, ifPosition, fencingToken, wake } = append;
  const { maxEntries = Number.MAX_SAFE_INTEGER } = append;
  return {
    kind: 'append',
    keys: [keys.record, keys.journal, keys.operations, ...(wake ? [keys.work, keys.waiting] : [])],
    args: [
      ...[String(now), encodeLines(entries), String(entries.length), String(maxEntries)],
      ...[hasEvents ? keys.sessionKey : '', textOf(ifPosition), textOf(fencingToken)],
      ...[textOf(operation?.id), textOf(operation?.digest), textOf(after)],
      ...(wake ? [revisionText(wake.revision), keys.idKey, keys.tenantKey] : []),
    ],
  };
};

export const redaction = (
  keys: SessionKeys,
  event: Extract<EventDetail, { readonly type: 'redacted' }>,
  hasEvents: boolean,
): Mutation => ({
  kind: 'redact',
  keys: [keys.record, keys.journal],
  args: [
    hasEvents ? `${keys.sessionKey} ${JSON.stringify(event)}` : '',
    ...event.positions.map(String),
  ],
});

export const rescheduling = (
  keys: SessionKeys,
  { from, to, isDamaged = false }: Rescheduling,
): Mutation => {
  const { record, deadlines, tenants, idKey, tenantKey, isLeft } = keys;
  return {
    kind: 'reschedule',
    keys: isDamaged || isLeft ? [deadlines, tenants] : [deadlines, tenants, record],
    args: [idKey, tenantKey, String(from), String(finite(to))],
  };
};

/** Hands out the sessions of a tenant that want a worker; with their records. */
export const claiming = (
  { work, waiting, records, tenantKey }: TenantKeys,
  { now, until, limit }: Omit<ClaimRange, 'tenant'>,
): Mutation => ({
  kind: 'claim',
  keys: [work, waiting, records],
  args: [tenantKey, String(now), String(until), String(limit)],
});

/** Makes the entries of a session in indexes those of its record. */
export const replay = (keys: SessionKeys, { header, state }: DecodedRecord): Mutation => {
  const { record, deadlines, tenants, idKey, tenantKey } = keys;
  const wanted = indexEntriesOf(keys, state);
  const has = new Set(wanted.map(({ index }) => index));
  const others = indexesOf(keys).filter((index) => !has.has(index));
  // An activity postpones an end without a new due time, which a sweep moves later.
  const mayBeEarly =
    state.status === 'ACTIVE' && state.terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY;
  const isWaiting = state.report !== undefined;
  return {
    kind: 'repair',
    keys: [record, deadlines, tenants, ...has, ...others],
    args: [
      ...[
        idKey,
        tenantKey,
        revisionText(state.revision),
        dueText(state),
        mayBeEarly && !isWaiting ? '1' : '',
      ],
      String(wanted.length),
      ...wanted.map(({ score }) => score || String(header.created)),
    ],
  };
};

/**
 * Removes an entry from an index that it does not belong to: that of no session, or of one with
 * this revision.
 */
export const unlisting = (
  keys: SessionKeys,
  index: string,
  revision: number | undefined,
): Mutation => {
  const { record, deadlines, tenants, idKey, tenantKey } = keys;
  const isDue = index === deadlines;
  return {
    kind: 'repair',
    keys: [record, deadlines, tenants, ...(isDue ? [] : [index])],
    args: [
      idKey,
      tenantKey,
      revision === undefined ? '' : revisionText(revision),
      isDue ? '' : '-',
      '',
      '0',
    ],
  };
};

/** Deletes what is left of a session without a record. */
export const purge = ({ record, journal, operations }: SessionKeys): Mutation => ({
  kind: 'purge',
  keys: [record, journal, operations],
  args: [],
});
