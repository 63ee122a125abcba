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
import { detailText } from './detail-text.js';
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

/**
 * An event of a session as text. The script adds the position after the first entries, which it
 * counts.
 */
const eventText = (
  { path }: SessionKeys,
  incarnation: string,
  sequence: number,
  detail: EventDetail,
): string => {
  const text = detail.type === 'appended' ? `${detail.start}_` : detailText(detail);
  return `1 ${detail.type} ${incarnation} ${sequence} ${detail.at} ${path} ${text}`;
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

export const creation = (keys: SessionKeys, created: Creation): Mutation => {
  const { keyspace, hasEvents, incarnation, tenant, head, state, opening } = created;
  const { entries = [], source, cap } = opening ?? {};
  const lines = encodeLines(entries);
  const details = openingDetailsOf(
    head.createdAt,
    opening && state,
    entries.length === 0 ? undefined : 0,
  );
  const counts = {
    sequence: details.length,
    entries: entries.length,
    bytes: Buffer.byteLength(lines),
  };
  const events = hasEvents
    ? details.map((detail, at) => ({
        isAppend: detail.type === 'appended',
        text: eventText(keys, incarnation, at + 1, detail),
      }))
    : [];
  const [begun, ...others] = events.filter(({ isAppend }) => !isAppend);
  const appended = events.find(({ isAppend }) => isAppend);
  const added = indexEntriesOf(keys, state);
  const byCreation = String(Date.parse(head.createdAt));
  const origin = source === undefined ? keys.record : keyspace.of({ tenant, id: source.id }).record;
  const { record, journal, deadlines, tenants, member, owner } = keys;
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
      ...[member, owner, dueText(state), encodeRecord(incarnation, head, state, counts), lines],
      ...[textOf(source?.version), ...capTexts(cap)],
      ...[textOf(begun?.text), textOf(others[0]?.text), textOf(appended?.text)],
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
  const { record, deadlines, tenants, member, owner, path } = keys;
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
      ...[member, owner, revisionText(previous.revision), ...fieldsOf(next)],
      ...[dueText(next), isDue ? '1' : '', textOf(event?.type)],
      isLogged ? ` ${event.at} ${path} ${detailText(event)}` : '',
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
    names,
    deadlines,
    tenants,
    labels,
    member,
    owner,
    path,
  } = keys;
  const left = remains && keyspace.of({ tenant, id, removal: remains.removal });
  const own = isLeft ? [record, record] : [journal, names];
  return {
    kind: 'remove',
    keys: [record, ...own, deadlines, tenants, left?.record ?? record, ...indexesOf(keys)],
    args: [
      ...[member, owner, revision === undefined ? '' : revisionText(revision), String(now)],
      ...[hasEvents && !isLeft ? path : '', labels, textOf(left?.member)],
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
    keys: [keys.record, keys.journal, keys.names, ...(wake ? [keys.work, keys.waiting] : [])],
    args: [
      ...[String(now), encodeLines(entries), String(entries.length), String(maxEntries)],
      ...[hasEvents ? keys.path : '', textOf(ifPosition), textOf(fencingToken)],
      ...[textOf(operation?.id), textOf(operation?.digest), textOf(after)],
      ...(wake ? [revisionText(wake.revision), keys.member, keys.owner] : []),
    ],
  };
};

/** The offset of a text in a journal. */
export type Overwrite = readonly [start: number, text: string];

export const redaction = (
  keys: SessionKeys,
  incarnation: string,
  event: Extract<EventDetail, { readonly type: 'redacted' }>,
  overwrites: readonly Overwrite[],
  hasEvents: boolean,
): Mutation => ({
  kind: 'redact',
  keys: [keys.record, keys.journal],
  args: [
    ...[incarnation, String(event.at), hasEvents ? keys.path : '', detailText(event)],
    ...overwrites.flatMap(([start, text]) => [String(start), text]),
  ],
});

export const rescheduling = (
  keys: SessionKeys,
  { from, to, isDamaged = false }: Rescheduling,
): Mutation => {
  const { record, deadlines, tenants, member, owner, isLeft } = keys;
  return {
    kind: 'reschedule',
    keys: isDamaged || isLeft ? [deadlines, tenants] : [deadlines, tenants, record],
    args: [member, owner, String(from), String(finite(to))],
  };
};

/** Hands out the sessions of a tenant that want a worker; with their records. */
export const claiming = (
  { work, waiting, records, owner }: TenantKeys,
  { now, until, limit }: Omit<ClaimRange, 'tenant'>,
): Mutation => ({
  kind: 'claim',
  keys: [work, waiting, records],
  args: [owner, String(now), String(until), String(limit)],
});

/** Makes the entries of a session in indexes those of its record. */
export const replay = (keys: SessionKeys, { header, state }: DecodedRecord): Mutation => {
  const { record, deadlines, tenants, member, owner } = keys;
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
        member,
        owner,
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
  const { record, deadlines, tenants, member, owner } = keys;
  const isDue = index === deadlines;
  return {
    kind: 'repair',
    keys: [record, deadlines, tenants, ...(isDue ? [] : [index])],
    args: [
      member,
      owner,
      revision === undefined ? '' : revisionText(revision),
      isDue ? '' : '-',
      '',
      '0',
    ],
  };
};

/** Deletes what is left of a session without a record. */
export const purge = ({ record, journal, names }: SessionKeys): Mutation => ({
  kind: 'purge',
  keys: [record, journal, names],
  args: [],
});
