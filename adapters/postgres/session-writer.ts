import { nanoid } from 'nanoid';
import { err, ok } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import { type EventDetail, statusDetailOf } from '../../src/session/event-detail.js';
import { unleasedSince } from '../../src/session/lease-state.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { acceptsHistoryUntil, endsAt } from '../../src/session/state-at.js';
import type {
  AppendOutcome,
  HistoryAppend,
  Inserted,
  Opening,
  Redacted,
  Removal,
  Replaced,
  ReplaceOptions,
  Rescheduling,
  SessionKey,
} from '../../src/store/session-store.js';
import { escapeName } from '../shared/escape-name.js';
import { labelTexts } from '../shared/label-texts.js';
import { finite } from '../shared/never.js';
import { decodeEntries, encodeEntry, encodeHead, encodeState, redactedEntry } from '../shared/stored-json.js';
import { unreadable } from '../sql/session-rows.js';
import { AppendLane } from './append-lane.js';
import { type Answer, type OpenChange, procedureCall, type Value } from './call.js';
import type { Connection } from './connection.js';
import type { PostgresEventLog } from './postgres-event-log.js';

/** The columns of a state, in the order of the procedures. */
const columnsOf = (state: StateRecord): readonly (string | number | boolean | null)[] => [
  state.status,
  finite(endsAt(state)),
  finite(acceptsHistoryUntil(state)),
  state.terms.graceMs,
  state.lease?.fencingToken ?? 0,
  state.lease?.until ?? 0,
  unleasedSince(state),
  state.terms.reportEnds,
  finite(state.limitMs),
  state.status === 'ACTIVE' ? finite(state.deadline) : null,
  finite(state.terms.inactivityTimeoutMs),
  state.lastActivityAt,
  state.revision,
  encodeState(state, state.labels),
  labelTexts(state.labels).join(' '),
];

export const namesOf = ({ tenant, id }: SessionKey): readonly [string, string] => [escapeName(tenant), escapeName(id)];

/** Null if events are off. */
const detailOf = ({ hasEvents }: OpenChange, detail: EventDetail): string | null =>
  hasEvents ? JSON.stringify(detail) : null;

/** The arguments of `open_session` besides those of `insert_session`. */
const valuesOf = (state: StateRecord, { entries, source, active }: Opening): readonly Value[] => [
  state.status === 'IDLE' ? null : JSON.stringify(statusDetailOf(false, state)),
  entries.map(encodeEntry),
  source === undefined ? null : escapeName(source.id),
  source?.version ?? null,
  active?.sessions ?? null,
  active?.now ?? null,
];

/** The changes of sessions. Each is one statement, with its event. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #events: PostgresEventLog;
  readonly #appends: AppendLane;

  constructor(connection: Connection, prefix: string, events: PostgresEventLog) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#events = events;
    this.#appends = new AppendLane(prefix);
  }

  async insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening: Opening | undefined,
  ): Answer<Inserted, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const key = { tenant, id: head.id };
    const createdMs = Date.parse(head.createdAt);
    const values = [
      ...namesOf(key),
      ...columnsOf(state),
      createdMs,
      nanoid(12),
      encodeHead(head),
      detailOf(change, { type: 'created', at: createdMs }),
    ];
    const outcomes = ['inserted', 'taken', 'source_changed', 'too_many'] as const;
    if (opening === undefined) return this.#change(change, 'insert_session', values, key.id, outcomes);
    const all = [...values, ...valuesOf(state, opening)];
    return this.#change(change, 'open_session', all, key.id, outcomes);
  }

  async replace(
    key: SessionKey,
    previous: StateRecord,
    next: StateRecord,
    { event, cap }: ReplaceOptions,
  ): Answer<Replaced, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const detail = event === undefined ? null : detailOf(change, event);
    const values = [...namesOf(key), ...columnsOf(next), previous.revision, next.since];
    values.push(event !== undefined, detail, cap?.sessions ?? null, cap?.now ?? null);
    return this.#change(change, 'replace_state', values, key.id, ['replaced', 'stale', 'missing', 'too_many']);
  }

  async append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const appended = await this.#appends.append(opened.value, key, append);
    const isNew = appended.isOk() && appended.value.outcome === 'appended' && !appended.value.repeated;
    if (isNew && opened.value.hasEvents) this.#events.publishSoon();
    return appended;
  }

  /**
   * Reads the entries first, because the database does not parse them. A position always belongs to the same entry, so
   * they cannot change in between, except by another redaction.
   */
  async redact(key: SessionKey, positions: readonly number[], now: number): Answer<Redacted, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const sql = `SELECT session.incarnation, session.position AS end_position, entry.position, entry.entry
      FROM ${this.#prefix}sessions AS session LEFT JOIN ${this.#prefix}entries AS entry
        ON entry.session = session.number AND entry.position = ANY ($3::double precision[])
      WHERE session.tenant = $1 AND session.id = $2`;
    const rows = await change.call.read(sql, [...namesOf(key), positions.map(String)]);
    if (rows.isErr()) return err(rows.error);
    const [row] = rows.value;
    if (row === undefined) return ok('missing');
    if (positions.some((position) => position > Number(row['end_position']))) return ok('invalid_position');
    const found: [string, string][] = [];
    for (const { position, entry } of rows.value) {
      const [decoded] = decodeEntries(entry) ?? [];
      if (typeof entry === 'string' && decoded === undefined) return err(unreadable(key.id, 'history'));
      if (decoded !== undefined) found.push([String(position), encodeEntry(redactedEntry(decoded))]);
    }
    const values = [
      ...namesOf(key),
      String(row['incarnation']),
      found.map(([position]) => position),
      found.map(([, entry]) => entry),
      detailOf(change, { type: 'redacted', at: now, positions }),
    ];
    return this.#change(change, 'redact_entries', values, key.id, ['redacted', 'missing']);
  }

  async remove(
    key: SessionKey,
    { revision, now = Date.now() }: Removal,
  ): Answer<'removed' | 'stale' | 'missing', StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const values = [...namesOf(key), revision ?? null, now, detailOf(change, { type: 'deleted', at: now })];
    return this.#change(change, 'remove_session', values, key.id, ['removed', 'stale', 'missing']);
  }

  async reschedule(
    key: SessionKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Answer<'moved' | 'stale', StoreError> {
    const values = [...namesOf(key), finite(from), finite(to), isDamaged];
    const call = procedureCall(this.#prefix, 'reschedule_session', values);
    const rows = await this.#connection.begin().write(call, values);
    return rows.map(([row]) => (row?.['result'] === 'moved' ? 'moved' : 'stale'));
  }

  async #open(): Answer<OpenChange> {
    const call = this.#connection.begin();
    const deployment = await call.deployment();
    return deployment.map(({ eventsLength }) => ({ call, hasEvents: eventsLength > 0 }));
  }

  /** Calls a procedure that returns one of `outcomes`; the first one means a change. */
  async #change<T extends string>(
    { call, hasEvents }: OpenChange,
    name: string,
    values: readonly Value[],
    id: string,
    outcomes: readonly [T, ...T[]],
  ): Answer<T, StoreError> {
    const rows = await call.write(procedureCall(this.#prefix, name, values), values);
    if (rows.isErr()) return err(rows.error);
    const result = rows.value[0]?.['result'];
    const outcome = outcomes.find((each) => each === result);
    if (outcome === undefined) return err(unreadable(id, 'state'));
    if (hasEvents && outcome === outcomes[0]) this.#events.publishSoon();
    return ok(outcome);
  }
}
