import { err, ok, type Result } from 'neverthrow';
import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type {
  AppendOutcome,
  HistoryAppend,
  Redacted,
  SessionKey,
} from '../../src/store/session-store.js';
import { decodeEntries, encodeEntry, redactedEntry } from '../shared/stored-json.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { stateOf, unreadable } from '../sql/session-rows.js';
import type { Answer, Call } from './call.js';
import { appendInput, type ChangeInput, redactInput } from './change-input.js';
import type { Connection } from './connection.js';
import { foreignAnswer } from './failure.js';
import { GroupWriter } from './group-writer.js';
import type { PostgresEventLog } from './postgres-event-log.js';

const FIND_ENTRIES = `
  SELECT session.incarnation, session.position AS end_position, entry.position, entry.entry
  FROM $sessions AS session LEFT JOIN $entries AS entry
    ON entry.session = session.number AND entry.position = ANY (?::bigint[])
  WHERE session.tenant = ? AND session.id = ?`;

/** Outcomes of changes that may have an event. */
const PUBLISHED: readonly unknown[] = ['inserted', 'replaced', 'appended', 'redacted', 'removed'];

/** Outcomes of an append without details, which have written nothing. */
const UNCHANGED = ['missing', 'mismatch', 'lease_lost', 'invalid_position', 'full'] as const;

/** The error of an outcome that a change cannot have, or that the stored state prevents. */
const outcomeErrorOf = (id: string, { outcome }: Fields): StoreError =>
  outcome === 'unreadable' ? unreadable(id, 'state') : foreignAnswer('unknown');

const appendOutcomeOf = (id: string, found: Fields): Result<AppendOutcome, StoreError> => {
  const { outcome, end_position: end, found_state: state } = found;
  const position = Number(end);
  if (outcome === 'appended') return ok({ outcome, position });
  if (outcome === 'repeated') return ok({ outcome: 'appended', position, repeated: true });
  if (outcome === 'moved') return ok({ outcome, position });
  const known = UNCHANGED.find((each) => each === outcome);
  if (known !== undefined) return ok({ outcome: known });
  if (outcome !== 'closed' || !isFields(state)) return err(outcomeErrorOf(id, found));
  const closed = stateOf(state);
  return closed === undefined ? err(unreadable(id, 'state')) : ok({ outcome, state: closed });
};

/**
 * The redacted entries of rows, by their positions; undefined if one cannot be read. A row without
 * an entry is one of a position that has nothing to redact.
 */
const redactedIn = (rows: readonly Fields[]): ReadonlyMap<number, string> | undefined => {
  const texts = new Map<number, string>();
  for (const { position, entry } of rows) {
    if (entry === null) continue;
    const [found] = decodeEntries(entry) ?? [];
    if (found === undefined) return undefined;
    texts.set(Number(position), encodeEntry(redactedEntry(found)));
  }
  return texts;
};

/** The changes of sessions. Each is made in one transaction with its events. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: PostgresEventLog;
  readonly #groups = new GroupWriter();

  constructor(connection: Connection, events: PostgresEventLog) {
    this.#connection = connection;
    this.#events = events;
  }

  /** Makes a change that has one of `outcomes`. */
  async change<T extends string>(
    id: string,
    outcomes: readonly T[],
    change: ChangeInput,
    call?: Call,
  ): Answer<T, StoreError> {
    const written = await this.#write(change, call);
    if (written.isErr()) return err(written.error);
    const outcome = outcomes.find((each) => each === written.value['outcome']);
    if (outcome !== undefined) return ok(outcome);
    return err(outcomeErrorOf(id, written.value));
  }

  async append(key: SessionKey, append: HistoryAppend): Answer<AppendOutcome, StoreError> {
    const written = await this.#write(appendInput(key, append));
    return written.andThen((found) => appendOutcomeOf(key.id, found));
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
    const call = this.#connection.begin();
    const { tenant, id } = storedKeyOf(key);
    const asked = positions.filter(Number.isSafeInteger).map(String);
    const rows = await call.read({
      sql: FIND_ENTRIES,
      values: [asked, tenant, id],
      columns: ['incarnation', 'end_position', 'position', 'entry'],
    });
    if (rows.isErr()) return err(rows.error);
    const [row] = rows.value;
    if (row === undefined) return ok('missing');
    if (positions.some((position) => position > Number(row['end_position'])))
      return ok('invalid_position');
    const texts = redactedIn(rows.value);
    if (texts === undefined) return err(unreadable(key.id, 'history'));
    const incarnation = String(row['incarnation']);
    const detail = { type: 'redacted', at: now, positions } as const;
    const change = redactInput(key, incarnation, texts, detail);
    return this.change(key.id, ['redacted', 'missing'], change, call);
  }

  /** Makes a change, and publishes its events. */
  async #write(change: ChangeInput, call = this.#connection.begin()): Answer<Fields, StoreError> {
    const written = await this.#groups.write(call, change);
    const isMade = written.isOk() && PUBLISHED.includes(written.value['outcome']);
    if (isMade) this.#events.publishSoon();
    return written;
  }
}
