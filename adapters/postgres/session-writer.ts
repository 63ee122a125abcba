import { err, ok, type Result } from 'neverthrow';
import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { EventDetail } from '../../src/session/event-detail.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type {
  AppendOutcome,
  DueKey,
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
import { finite } from '../shared/never.js';
import { decodeEntries, encodeEntry, redactedEntry } from '../shared/stored-json.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { stateOf, unreadable } from '../sql/session-rows.js';
import { type Answer, type OpenChange, procedureCall, type Value } from './call.js';
import { appendInput, insertInput, remainsInput, replaceInput } from './change-input.js';
import type { Connection } from './connection.js';
import { GroupWriter } from './group-writer.js';
import type { PostgresEventLog } from './postgres-event-log.js';

/** The tenant and the id of a row, as they are stored. */
const namesOf = (key: DueKey): readonly [string, string] => {
  const { tenant, id } = storedKeyOf(key);
  return [tenant, id];
};

/** Null if events are off. */
const detailOf = ({ hasEvents }: OpenChange, detail: EventDetail): string | null =>
  hasEvents ? JSON.stringify(detail) : null;

/** Outcomes of an append without details, which have written nothing. */
const UNCHANGED = ['missing', 'mismatch', 'lease_lost', 'invalid_position', 'full'] as const;

const appendOutcomeOf = (id: string, found: Fields): Result<AppendOutcome, StoreError> => {
  const { outcome, end_position: end, found_state: state } = found;
  const position = Number(end);
  if (outcome === 'appended') return ok({ outcome, position });
  if (outcome === 'repeated') return ok({ outcome: 'appended', position, repeated: true });
  if (outcome === 'moved') return ok({ outcome, position });
  const known = UNCHANGED.find((each) => each === outcome);
  if (known !== undefined) return ok({ outcome: known });
  const closed = outcome === 'closed' && isFields(state) ? stateOf(state) : undefined;
  if (closed === undefined) return err(unreadable(id, 'state'));
  return ok({ outcome: 'closed', state: closed });
};

/** The changes of sessions. Each is made in one transaction with its event. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #events: PostgresEventLog;
  readonly #groups: GroupWriter;

  constructor(connection: Connection, prefix: string, events: PostgresEventLog) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#events = events;
    this.#groups = new GroupWriter(prefix);
  }

  async insert(
    tenant: string,
    head: SessionHead,
    state: StateRecord,
    opening: Opening | undefined,
  ): Answer<Inserted, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const { call, hasEvents } = opened.value;
    const input = insertInput(hasEvents, tenant, head, state, opening);
    const written = await this.#groups.write(call, input);
    const outcomes = ['inserted', 'taken', 'source_changed', 'too_many'] as const;
    return written.andThen(({ outcome }) => this.#told(hasEvents, outcome, head.id, outcomes));
  }

  async replace(
    key: DueKey,
    previous: StateRecord,
    next: StateRecord,
    options: ReplaceOptions,
  ): Answer<Replaced, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const { call, hasEvents } = opened.value;
    const input = replaceInput(hasEvents, key, previous, next, options);
    const written = await this.#groups.write(call, input);
    const outcomes = ['replaced', 'stale', 'missing', 'too_many'] as const;
    return written.andThen(({ outcome }) => this.#told(hasEvents, outcome, key.id, outcomes));
  }

  async append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const { call, hasEvents } = opened.value;
    const written = await this.#groups.write(call, appendInput(hasEvents, key, append));
    const appended = written.andThen((found) => appendOutcomeOf(key.id, found));
    const isNew =
      appended.isOk() && appended.value.outcome === 'appended' && !appended.value.repeated;
    if (isNew && hasEvents) this.#events.publishSoon();
    return appended;
  }

  /**
   * Reads the entries first, because the database does not parse them. A position always belongs to
   * the same entry, so they cannot change in between, except by another redaction.
   */
  async redact(
    key: SessionKey,
    positions: readonly number[],
    now: number,
  ): Answer<Redacted, StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const sql = `SELECT session.incarnation, session.position AS end_position, entry.position, entry.entry
      FROM ${this.#prefix}sessions AS session LEFT JOIN ${this.#prefix}entries AS entry
        ON entry.session = session.number AND entry.position = ANY ($3::bigint[])
      WHERE session.tenant = $1 AND session.id = $2`;
    const asked = positions.filter(Number.isSafeInteger).map(String);
    const rows = await change.call.read(sql, [...namesOf(key), asked]);
    if (rows.isErr()) return err(rows.error);
    const [row] = rows.value;
    if (row === undefined) return ok('missing');
    if (positions.some((position) => position > Number(row['end_position'])))
      return ok('invalid_position');
    const found: [string, string][] = [];
    for (const { position, entry } of rows.value) {
      const [decoded] = decodeEntries(entry) ?? [];
      if (typeof entry === 'string' && decoded === undefined)
        return err(unreadable(key.id, 'history'));
      if (decoded !== undefined)
        found.push([String(position), encodeEntry(redactedEntry(decoded))]);
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
    key: DueKey,
    { revision, now = Date.now(), remains }: Removal,
  ): Answer<'removed' | 'stale' | 'missing', StoreError> {
    const opened = await this.#open();
    if (opened.isErr()) return err(opened.error);
    const change = opened.value;
    const isSession = key.removal === undefined;
    const detail = isSession ? detailOf(change, { type: 'deleted', at: now }) : null;
    const left = remains === undefined ? null : JSON.stringify(remainsInput(key, remains));
    const values = [...namesOf(key), revision ?? null, detail, left];
    return this.#change(change, 'remove_session', values, key.id, ['removed', 'stale', 'missing']);
  }

  async reschedule(
    key: DueKey,
    { from, to, isDamaged = false }: Rescheduling,
  ): Answer<'moved' | 'stale', StoreError> {
    const isFree = isDamaged || key.removal !== undefined;
    const values = [...namesOf(key), finite(from), finite(to), isFree];
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
    return this.#told(hasEvents, rows.value[0]?.['result'], id, outcomes);
  }

  /** The outcome of a change. The first one of `outcomes` means that its event can be published. */
  #told<T extends string>(
    hasEvents: boolean,
    found: unknown,
    id: string,
    outcomes: readonly [T, ...T[]],
  ): Result<T, StoreError> {
    const outcome = outcomes.find((each) => each === found);
    if (outcome === undefined) return err(unreadable(id, 'state'));
    if (hasEvents && outcome === outcomes[0]) this.#events.publishSoon();
    return ok(outcome);
  }
}
