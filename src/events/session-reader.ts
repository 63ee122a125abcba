import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionRecord } from '../session/session-record.js';
import { stateAt } from '../session/state-at.js';
import { entryDigestOf, stateDigestOf, type WatchCursor } from '../session/watch-cursor.js';
import { findSession } from '../store/find-session.js';
import type { EntriesOutcome, HistorySlice, ReadSize, SessionKey, SessionStore } from '../store/session-store.js';
import { safely } from './safely.js';
import { SharedReads } from './shared-reads.js';

/** Maximum number of entries in one read. */
const PART = 1000;

type Found<T> = Promise<Result<T, StoreError>>;

/** The reads of one store that its watches share. */
export class SessionReads {
  readonly records = new SharedReads<Result<SessionRecord | undefined, StoreError>>();
  readonly parts = new SharedReads<Result<EntriesOutcome, StoreError>>();
}

type Part = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** A session as it is now, and where a watch continues after it. */
export interface Snapshot {
  readonly record: SessionRecord;
  readonly cursor: WatchCursor;
}

/** What has changed since a cursor. The record has no history. */
export interface Changes extends Snapshot {
  /** The entries that were added; empty if only the state has changed, or nothing. */
  readonly entries: readonly PositionedEntry[];
  readonly hasChanged: boolean;
}

const frozenRecord = (record: SessionRecord | undefined): SessionRecord | undefined => {
  if (record === undefined || Object.isFrozen(record.history)) return record;
  for (const entry of record.history) Object.freeze(entry);
  Object.freeze(record.history);
  Object.freeze(record.head.options);
  return record;
};

const frozenPart = (part: EntriesOutcome): EntriesOutcome => {
  if (part.outcome === 'found') for (const entry of part.entries) Object.freeze(entry);
  return part;
};

/** The state that the clock has made of a stored one tells more than the stored one. */
const digestAt = (record: SessionRecord, now: number): string => stateDigestOf(stateAt(record.state, now));

/** The cursor after a record, with a digest of its state and its last entry, which begins after `start`. */
const cursorOf = (
  { sequence, historyPosition: position, historyVersion: version }: SessionRecord,
  state: string,
  start: number,
  last: PositionedEntry | undefined,
): WatchCursor => ({ sequence, start, position, state, entry: entryDigestOf(last), version });

/**
 * Reads one session for its watches. Watches that read the same at the same time share the read, so what is read is
 * frozen.
 */
export class SessionReader {
  readonly #store: SessionStore;
  readonly #key: SessionKey;
  readonly #reads: SessionReads;
  readonly #name: string;

  constructor(store: SessionStore, key: SessionKey, reads: SessionReads) {
    this.#store = store;
    this.#key = key;
    this.#reads = reads;
    this.#name = JSON.stringify([key.tenant, key.id]);
  }

  /**
   * The whole session, or its latest entries; undefined if there is none. If the history changes between the two reads,
   * the cursor does not fit it, so that the next read gives another snapshot.
   */
  async snapshot(size: ReadSize, now: number): Found<Snapshot | undefined> {
    const found = await this.find(size);
    if (found.isErr()) return err(found.error);
    const record = found.value;
    if (record === undefined) return ok(undefined);
    const last = await this.entries({ before: record.historyPosition, limit: 1 });
    return last.map((part) => ({
      record,
      cursor: cursorOf(record, digestAt(record, now), part?.start ?? 0, part?.entries.at(-1)),
    }));
  }

  /**
   * What has changed since a cursor; `other` if that cannot be told as new entries, because the history was rewound or
   * redacted, or the session is not the same any more; undefined if there is none. Unless it `mustCompare`, the
   * entries are not read if the record has not changed.
   */
  async changes(known: WatchCursor, now: number, mustCompare: boolean): Found<Changes | 'other' | undefined> {
    const [found, first] = await Promise.all([
      this.find({ historyLimit: 0 }),
      mustCompare ? this.entries({ after: known.start, limit: PART }) : undefined,
    ]);
    if (found.isErr()) return err(found.error);
    const record = found.value;
    if (record === undefined) return ok(undefined);
    const isBehind = record.sequence < known.sequence || record.historyPosition < known.position;
    if (isBehind) return ok('other');
    const state = digestAt(record, now);
    const hasSameState = record.sequence === known.sequence && state === known.state;
    const isSame = hasSameState && record.historyVersion === known.version;
    if (first === undefined && isSame) return ok({ record, cursor: known, entries: [], hasChanged: false });
    const read = await this.#upTo(record, known, first);
    if (read.isErr()) return err(read.error);
    const entries = read.value;
    if (entries === undefined) return ok('other');
    const added = entries.filter(({ position }) => position > known.position);
    const former = entries.at(-1 - added.length);
    if (entryDigestOf(former) !== known.entry) return ok('other');
    const start = added.length === 0 ? known.start : (entries.at(-2)?.position ?? known.start);
    const cursor = cursorOf(record, state, start, entries.at(-1));
    return ok({ record, cursor, entries: added, hasChanged: !isSame || added.length > 0 });
  }

  /** The entries from the last known one up to the end of a record; undefined if the history is another one. */
  async #upTo(
    { historyPosition: end, historyVersion }: SessionRecord,
    { start, version }: WatchCursor,
    first: Result<Part | undefined, StoreError> | undefined,
  ): Found<readonly PositionedEntry[] | undefined> {
    const entries: PositionedEntry[] = [];
    let part = first ?? (await this.entries({ after: start, limit: PART }));
    for (let isAgain = false; ; isAgain = true) {
      if (part.isErr()) return err(part.error);
      const found = part.value;
      if (found?.version !== version || historyVersion !== version) return ok(undefined);
      // What was added after the record was read comes with the next read.
      entries.push(...found.entries.filter(({ position }) => position <= end));
      if (found.position >= end) return ok(entries);
      // Only the first part may be older than the record.
      if (isAgain && !found.hasMore) return ok(undefined);
      part = await this.entries({ after: found.position, limit: PART });
    }
  }

  /** Undefined if there is no session. */
  async find(size: ReadSize): Found<SessionRecord | undefined> {
    const read = () => safely(() => findSession(this.#store, this.#key, size));
    const name = `${this.#name}/${size.historyLimit}`;
    return this.#reads.records.read(name, async () => (await read()).map(frozenRecord));
  }

  /** A part of the history; undefined if there is no such part, or no session. */
  async entries(slice: HistorySlice): Found<Part | undefined> {
    const read = () => safely(() => this.#store.findEntries(this.#key, slice));
    const name = `${this.#name}/${JSON.stringify(slice)}`;
    const part = await this.#reads.parts.read(name, async () => (await read()).map(frozenPart));
    return part.map((found) => (found.outcome === 'found' ? found : undefined));
  }
}
