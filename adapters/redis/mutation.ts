import { noOptions } from '../../src/input/parse-create.js';
import type { EventDetail } from '../../src/session/event-detail.js';
import { openingDetailsOf } from '../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { endsAt } from '../../src/session/state-at.js';
import type {
  HistoryAppend,
  LiveLimit,
  Opening,
  Removal,
  ReplaceOptions,
  Rescheduling,
  TakeRange,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { finite } from '../shared/never.js';
import { dueText, entriesOf, type IndexChange, indexChangeOf, onlyThese } from './index-entries.js';
import type { Keyspace, SessionKeys, TenantKeys } from './keyspace.js';
import {
  activityText,
  type DecodedRecord,
  encodeLines,
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
    | 'repair';
  readonly keys: readonly string[];
  readonly args: readonly string[];
  /** The lists that get the session, and those that lose it. */
  readonly gained?: readonly string[];
  readonly lost?: readonly string[];
}

const textOf = (value: number | string | undefined): string =>
  value === undefined ? '' : String(value);

/** A mutation that changes indexes: with the keys and arguments that all of these begin with. */
const placing = (
  kind: Mutation['kind'],
  keys: SessionKeys,
  { gained, lost, due, work }: IndexChange,
  cap: LiveLimit | undefined,
  own: Pick<Mutation, 'keys' | 'args'>,
): Mutation => ({
  kind,
  keys: [
    ...[keys.record, keys.deadlines, keys.tenants, keys.work, keys.waiting],
    ...[keys.byStatus.ACTIVE ?? keys.index, keys.byStatus.PAUSED ?? keys.index],
    ...own.keys,
  ],
  args: [
    ...[keys.idKey, keys.tenantKey, due, work, textOf(cap?.sessions), textOf(cap?.now)],
    ...own.args,
  ],
  gained,
  lost,
});

/** An event as scripts take it. The changes of what is left of a session have none. */
const eventText = ({ sessionKey, isLeft }: SessionKeys, detail: EventDetail | undefined): string =>
  detail === undefined || isLeft ? '' : `${sessionKey} ${JSON.stringify(detail)}`;

export const creation = (
  keys: SessionKeys,
  incarnation: string,
  head: SessionHead,
  state: StateRecord,
  opening: Opening | undefined,
): Mutation => {
  const { entries = [], source, cap } = opening ?? {};
  const lines = encodeLines(entries);
  const bytes = Buffer.byteLength(lines);
  const appended = entries.length === 0 ? undefined : bytes;
  const details = openingDetailsOf(head.createdAt, opening && state, appended);
  const counts = { sequence: details.length, entries: entries.length, bytes };
  const record = encodeRecord(incarnation, head, state, counts);
  const origin = source === undefined ? keys.record : keys.records + escapeName(source.id);
  return placing('create', keys, indexChangeOf(keys, undefined, state), cap, {
    keys: [keys.journal, origin],
    args: [
      ...[record, lines, textOf(source?.version)],
      ...details.map((detail) => eventText(keys, detail)),
    ],
  });
};

export const replacement = (
  keys: SessionKeys,
  previous: StateRecord,
  next: StateRecord,
  { event, cap, unusedSince }: ReplaceOptions,
): Mutation =>
  placing('replace', keys, indexChangeOf(keys, previous, next), cap, {
    keys: [],
    args: [
      ...[revisionText(previous.revision), textOf(unusedSince), revisionText(next.revision)],
      ...[activityText(next.lastActivityAt), stateFields(next), labelsLine(next), stateLine(next)],
      ...[event === undefined ? '' : '1', eventText(keys, event)],
    ],
  });

/** What is left of a removed session as a record, which scripts change like any other one. */
const encodeRemains = (id: string, state: StateRecord): string => {
  const head = { id, options: noOptions, createdAt: new Date(0).toISOString() };
  return encodeRecord('0'.repeat(12), head, state, { sequence: 1, entries: 0, bytes: 0 });
};

export const removal = (
  keys: SessionKeys,
  keyspace: Keyspace,
  { revision, unusedSince, now = Date.now(), remains }: Removal,
): Mutation => {
  const { tenant, id, isLeft, record, journal, operations } = keys;
  const own = isLeft ? [record, record] : [journal, operations];
  const event = eventText(keys, { type: 'deleted', at: now });
  const expected = revision === undefined ? '' : revisionText(revision);
  const args = [expected, textOf(unusedSince), event, keys.labels];
  if (remains !== undefined) {
    const left = keyspace.of({ tenant, id, removal: remains.removal });
    own.push(left.record);
    args.push(left.idKey, dueText(remains.state), encodeRemains(id, remains.state));
  }
  return placing('remove', keys, onlyThese(keys, entriesOf(keys, undefined)), undefined, {
    keys: own,
    args,
  });
};

export const addition = (keys: SessionKeys, append: HistoryAppend): Mutation => {
  const { entries, now, operation, after, ifPosition, fencingToken, wake } = append;
  const { maxEntries = Number.MAX_SAFE_INTEGER } = append;
  return {
    kind: 'append',
    keys: [keys.record, keys.journal, keys.operations, ...(wake ? [keys.work, keys.waiting] : [])],
    args: [
      ...[String(now), encodeLines(entries), String(entries.length), String(maxEntries)],
      ...[keys.sessionKey, textOf(ifPosition), textOf(fencingToken)],
      ...[textOf(operation?.id), textOf(operation?.digest), textOf(after)],
      ...(wake ? [revisionText(wake.revision), keys.idKey, keys.tenantKey] : []),
    ],
  };
};

/** Redacts entries, if the session has this incarnation; '' for any. */
export const redaction = (
  keys: SessionKeys,
  positions: readonly number[],
  now: number,
  incarnation: string,
): Mutation => ({
  kind: 'redact',
  keys: [keys.record, keys.journal],
  args: [
    ...[incarnation, eventText(keys, { type: 'redacted', at: now, positions: [] })],
    ...positions.map(String),
  ],
});

export const rescheduling = (
  keys: SessionKeys,
  { from, to, isDamaged = false }: Rescheduling,
): Mutation => {
  const change = { gained: [], lost: [], due: String(finite(to)), work: '-' };
  const args = [String(from), isDamaged || keys.isLeft ? '' : '1'];
  return placing('reschedule', keys, change, undefined, { keys: [], args });
};

/** A part of a claim, in one partition. */
export interface PartOfClaim extends Pick<TakeRange, 'now' | 'until' | 'limit' | 'inCompany'> {
  /** The maximum number of sessions of each tenant. */
  readonly share: number;
  /** The tenants of the partition in turn, as `TenantKeys.tenantKey`. */
  readonly tenantKeys: readonly string[];
}

/** Hands out the sessions of tenants that wait for a worker; with their records. */
export const claiming = (
  { partition, waiting }: TenantKeys,
  { now, until, limit, inCompany, share, tenantKeys }: PartOfClaim,
): Mutation => ({
  kind: 'claim',
  keys: [waiting, `${partition}work:`, `${partition}record:`],
  args: [...[now, until, limit, share].map(String), inCompany ? '1' : '', ...tenantKeys],
});

/** What is not as the record of a session says, or remains of one without a record. */
export interface Wrong {
  /** A list that the session may be in. */
  readonly list?: string | undefined;
  /** Keys to delete, of a session without a record. */
  readonly remains?: readonly string[];
}

/** Makes the entries of a session in indexes those of its record, or none without one. */
export const repairing = (
  keys: SessionKeys,
  record: DecodedRecord | undefined,
  { list, remains = [] }: Wrong,
): Mutation => {
  const state = record?.state;
  const entries = entriesOf(keys, state);
  // Claims take a session that has ended out of the queue, whatever its record says.
  const isOver = state !== undefined && entries.work !== '' && endsAt(state) <= Date.now();
  const change = onlyThese(keys, isOver ? { ...entries, work: '-' } : entries);
  const isOther = list !== undefined && ![...change.gained, ...change.lost].includes(list);
  const lost = isOther ? [list, ...change.lost] : change.lost;
  // An activity postpones an end without a new due time, which a sweep moves later.
  const mayBeEarly =
    state?.status === 'ACTIVE' &&
    state.terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY &&
    state.report === undefined;
  const revision = state === undefined ? '' : revisionText(state.revision);
  const args = [revision, mayBeEarly ? '1' : ''];
  return placing('repair', keys, { ...change, lost }, undefined, { keys: remains, args });
};
