import { nanoid } from 'nanoid';
import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import { detailOf, type EventDetail } from '../../src/session/event-detail.js';
import type { Fields } from '../../src/session/fields.js';
import type { StateRecord } from '../../src/session/session-record.js';
import {
  type BeginCommit,
  type Begun,
  type ChangeCommit,
  type Changed,
  type EventPart,
  isMove,
  isRedaction,
  type Move,
  type Redaction,
  type Remains,
  type RemoveCommit,
  type Removed,
  type StateChange,
  type UseChange,
} from '../../src/store/commit.js';
import {
  type Facts,
  judgeBegin,
  judgeChange,
  judgeMove,
  judgeRedaction,
  judgeRemoval,
} from '../../src/store/judge.js';
import { queueTimesAfter, queueTimesOf } from '../../src/store/queue-times.js';
import type { DueKey } from '../../src/store/session-store.js';
import { stateAfter } from '../../src/store/state-after.js';
import { takenIn } from '../sql/message-rows.js';
import { bytesOfEntries, historyVersionOf, stateIn, unreadable } from '../sql/session-rows.js';
import { finite, infinite } from '../stored/infinite-times.js';
import { encodeEntry, lengthOf } from '../stored/json.js';
import { labelChangeOf } from '../stored/labels.js';
import type { Connection } from './connection.js';
import {
  addEntries,
  deleteAfter,
  findOperation,
  type HistoryTail,
  keepOperation,
  redactEntries,
  tailAfter,
} from './entry-rows.js';
import { addMessage, findMessage, takeMessages, withdraw } from './message-rows.js';
import { liveAt } from './read-page.js';
import {
  addRow,
  columnsOf,
  findRow,
  moveLabels,
  removeRow,
  textOf,
  updateRow,
} from './session-row.js';
import type { SqliteEventLog } from './sqlite-event-log.js';

type HistoryChange = StateChange | UseChange;

/** Of a change that takes nothing out of the history. */
const NONE: HistoryTail = { entries: 0, bytes: 0, hasEntry: true };

/** `start` and `position`: around the new entries. */
const detailsOf = (
  events: readonly EventPart[],
  start: number,
  position: number,
): readonly EventDetail[] => events.map((event) => detailOf(event, { start, position }));

interface Found {
  readonly row: Fields;
  readonly state: StateRecord;
  /** What `truncate` takes out of the history. */
  readonly tail: HistoryTail;
}

/** Makes each commit in a transaction with its events. */
export class SessionWriter {
  readonly #connection: Connection;
  readonly #events: SqliteEventLog;

  constructor(connection: Connection, events: SqliteEventLog) {
    this.#connection = connection;
    this.#events = events;
  }

  begin(commit: BeginCommit): Promise<Result<Begun, StoreError>> {
    const { key, guards, effects } = commit;
    const texts = effects.entries.map(encodeEntry);
    const write = (eventsLength: number): Result<Begun, never> => {
      const source = guards.source && this.#rowOf({ ...key, id: guards.source.id });
      const facts = {
        isTaken: this.#rowOf(key) !== undefined,
        sourceVersion: source && historyVersionOf(source),
        liveAt: this.#liveAt(key),
      };
      const begun = judgeBegin(facts, commit);
      if (begun.outcome === 'made') this.#add(commit, texts, eventsLength);
      return ok(begun);
    };
    return this.#write(key, write, texts);
  }

  change(commit: ChangeCommit): Promise<Result<Changed, StoreError>> {
    const { key } = commit;
    if (isMove(commit)) return this.#write(key, () => this.#move(commit));
    if (isRedaction(commit)) return this.#write(key, (length) => this.#redact(commit, length));
    const texts = commit.effects.entries?.map(encodeEntry) ?? [];
    const write = (eventsLength: number): Result<Changed, StoreError> => {
      const row = this.#rowOf(key);
      const state = stateIn(key.id, row);
      if (state.isErr()) return err(state.error);
      const tail = this.#tailOf(row, commit);
      const changed = judgeChange(this.#factsOf(commit, row, state.value, tail), commit);
      if (row === undefined || state.value === undefined) return ok(changed);
      if (changed.outcome !== 'made') return ok(changed);
      return this.#apply({ row, state: state.value, tail }, commit, texts, eventsLength);
    };
    return this.#write(key, write, texts);
  }

  remove(commit: RemoveCommit): Promise<Result<Removed, StoreError>> {
    const { key, effects } = commit;
    return this.#write(key, (eventsLength): Result<Removed, never> => {
      const row = this.#rowOf(key);
      const sign = row && {
        revision: Number(row['revision']),
        lastActivityAt: Number(row['last_activity']),
      };
      const removed = judgeRemoval(sign, commit);
      if (row === undefined || removed.outcome === 'refused') return ok(removed);
      removeRow(this.#connection, row);
      if (effects.remains !== undefined) this.#addRemains(key, effects.remains);
      if (key.removal === undefined) this.#events.erase(key, row);
      this.#events.log(eventsLength, key, row, detailsOf(effects.events, 0, 0));
      return ok(removed);
    });
  }

  #write<T>(
    { tenant }: DueKey,
    work: (eventsLength: number) => Result<T, StoreError>,
    texts: readonly string[] = [],
  ): Promise<Result<T, StoreError>> {
    const write = ({ eventsLength }: { readonly eventsLength: number }) => work(eventsLength);
    return this.#connection.write(tenant, write, lengthOf(texts));
  }

  #rowOf(key: DueKey): Fields | undefined {
    return findRow(this.#connection, key);
  }

  #liveAt({ tenant }: DueKey): Facts['liveAt'] {
    return (now) => liveAt(this.#connection, tenant, now);
  }

  #add({ key, effects }: BeginCommit, texts: readonly string[], eventsLength: number): void {
    const { head, state, events } = effects;
    const { length } = texts;
    const change = { incarnation: nanoid(12), sequence: events.length };
    const number = addRow(this.#connection, key, head, {
      ...change,
      ...columnsOf(state, queueTimesOf(key, state)),
      ...textOf(state),
      ...{ entries: length, position: length, bytes: bytesOfEntries(texts) },
    });
    moveLabels(this.#connection, number, labelChangeOf({}, state));
    addEntries(this.#connection, number, 0, texts);
    const before = { ...change, sequence: 0 };
    this.#events.log(eventsLength, key, before, detailsOf(events, 0, length));
  }

  #addRemains(key: DueKey, { removal, state }: Remains): void {
    const left = { ...key, removal };
    addRow(this.#connection, left, undefined, {
      ...columnsOf(state, queueTimesOf(left, state)),
      ...textOf(state),
      ...{ incarnation: '', sequence: 0, entries: 0, position: 0, bytes: 0 },
    });
  }

  #tailOf(row: Fields | undefined, { effects: { truncate } }: HistoryChange): HistoryTail {
    if (row === undefined || truncate === undefined) return NONE;
    return tailAfter(this.#connection, Number(row['number']), truncate);
  }

  /**
   * A change may follow the beginning of a history, its end, an entry, or the rewind directly
   * before an entry. Every other position is superseded.
   */
  #factsOf(
    { key, guards: { operation }, effects: { truncate, send } }: HistoryChange,
    row: Fields | undefined,
    state: StateRecord | undefined,
    tail: HistoryTail,
  ): Facts {
    const end = Number(row?.['position']);
    const isCurrent = tail.hasEntry || truncate === 0 || truncate === end;
    const number = Number(row?.['number']);
    return {
      state,
      known: row && operation && findOperation(this.#connection, number, operation.id),
      sent: row && send && findMessage(this.#connection, number, send.entry.id),
      end,
      kept: isCurrent ? Number(row?.['entries']) - tail.entries : undefined,
      liveAt: this.#liveAt(key),
    };
  }

  #apply(
    { row, state, tail }: Found,
    commit: HistoryChange,
    entries: readonly string[],
    eventsLength: number,
  ): Result<Changed, StoreError> {
    const { key, effects } = commit;
    const start = Number(row['position']);
    const from = effects.truncate === undefined ? start : start + 1;
    const taken = this.#applyToInbox(row, commit, from + entries.length);
    const texts = [...entries, ...(taken ?? [])];
    const position = this.#applyToHistory(row, commit, from, texts);
    const isWritten = (effects.truncate ?? taken) !== undefined || texts.length > 0;
    const reported = isWritten ? position : 0;
    const { operation } = commit.guards;
    if (operation !== undefined)
      keepOperation(this.#connection, Number(row['number']), { ...operation, position: reported });
    const next = stateAfter(state, commit);
    const times = {
      dueAt: infinite(Number(row['due_at'])),
      wakeAt: infinite(Number(row['wake_at'])),
    };
    if (effects.put !== undefined)
      moveLabels(this.#connection, Number(row['number']), labelChangeOf(state, next));
    const details = detailsOf(effects.events, start, position);
    const sequence = this.#events.log(eventsLength, key, row, details);
    updateRow(this.#connection, row, {
      ...columnsOf(next, queueTimesAfter({ ...times, state }, next, commit)),
      ...((effects.put ?? effects.spend) !== undefined && textOf(next)),
      entries: Number(row['entries']) - tail.entries + texts.length,
      position,
      bytes: Number(row['bytes']) - tail.bytes + bytesOfEntries(texts),
      sequence,
    });
    if (taken !== undefined)
      return takenIn(key.id, taken.join(','), position).map(
        (messages): Changed => ({ outcome: 'made', position, messages }),
      );
    return ok({ outcome: 'made', position: reported });
  }

  /** Returns the JSON of the messages that move to the positions after `end`. */
  #applyToInbox(
    row: Fields,
    { effects }: HistoryChange,
    end: number,
  ): readonly string[] | undefined {
    const session = Number(row['number']);
    if (effects.send !== undefined) addMessage(this.#connection, session, effects.send);
    if (effects.put === undefined) return undefined;
    if (effects.withdraw !== undefined) withdraw(this.#connection, session, effects.withdraw);
    return effects.take && takeMessages(this.#connection, session, effects.take, end);
  }

  /** Returns the new end. */
  #applyToHistory(
    row: Fields,
    { effects: { truncate } }: HistoryChange,
    from: number,
    texts: readonly string[],
  ): number {
    const session = Number(row['number']);
    if (truncate !== undefined) deleteAfter(this.#connection, session, truncate);
    const position = from + texts.length;
    addEntries(this.#connection, session, from, texts);
    return position;
  }

  #move(move: Move): Result<Changed, StoreError> {
    const row = this.#rowOf(move.key);
    const isJudged = move.guards.revision !== undefined;
    const state = stateIn(move.key.id, isJudged ? row : undefined);
    if (state.isErr()) return err(state.error);
    const dueAt = row === undefined ? Number.POSITIVE_INFINITY : infinite(Number(row['due_at']));
    const changed = judgeMove(state.value, dueAt, move);
    if (row !== undefined && changed.outcome === 'made')
      updateRow(this.#connection, row, { due_at: finite(move.effects.dueAt) });
    return ok(changed);
  }

  #redact(redaction: Redaction, eventsLength: number): Result<Changed, StoreError> {
    const { key, effects } = redaction;
    const row = this.#rowOf(key);
    const changed = judgeRedaction(row && Number(row['position']), redaction);
    if (row === undefined || changed.outcome !== 'made') return ok(changed);
    const { redact: positions, at } = effects;
    const isChanged = redactEntries(this.#connection, Number(row['number']), positions);
    if (isChanged === undefined) return err(unreadable(key.id, 'history'));
    if (!isChanged) return ok(changed);
    const detail = { type: 'redacted', at, positions } as const;
    const sequence = this.#events.log(eventsLength, key, row, [detail]);
    const redactions = Number(row['redactions']) + 1;
    updateRow(this.#connection, row, { sequence, redactions });
    return ok(changed);
  }
}
