import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { deepFreeze } from '../session/json.js';
import { type Message, waitingIn } from '../session/message.js';
import type { PositionedEntry } from '../session/session.js';
import { sessionAt, summaryAt } from '../session/session-at.js';
import type { SessionChanged, SessionSnapshot } from '../session/session-event.js';
import type { BudgetRecord, SessionRecord } from '../session/session-record.js';
import { stateAt } from '../session/time-limits.js';
import {
  cursorText,
  type Digested,
  entryDigestOf,
  parseWatchCursor,
  stateDigestOf,
  type WatchCursor,
} from '../session/watch-cursor.js';
import { findSession } from '../store/find-session.js';
import type { EntriesOutcome, HistorySlice, ReadSize, SessionKey } from '../store/session-store.js';
import { type Expiry, expiryOf } from './deadline.js';
import type { HubSource } from './hub-source.js';
import { safely } from './safely.js';
import { SharedReads } from './shared-reads.js';

const PART = 1000;

type Found<T> = Promise<Result<T, StoreError>>;

type Part = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** What a read has found. It is frozen, because watches share it. */
export interface Reading {
  readonly cursor: string;
  readonly expiry: Expiry | undefined;
  /** Absent for a session that has ended, or has no budget. */
  readonly budget?: BudgetRecord | undefined;
  /** What the watch reports. Absent if nothing has changed. */
  readonly change?: SessionSnapshot | SessionChanged;
}

export interface SessionRead {
  readonly key: SessionKey;
  /** What has changed since is read; a snapshot if it is undefined. */
  readonly cursor: string | undefined;
  readonly historyLimit: number | undefined;
  /** Whether the entries are compared even if the record has not changed. */
  readonly mustCompare: boolean;
  /** Whether leases that are taken and released, and wakes, are changes. */
  readonly isWithLeases: boolean;
}

/** A record as it is at `now`. */
interface View extends Digested {
  readonly record: SessionRecord;
  /** A digest of the state that the clock may have made of the stored one. */
  readonly digest: string;
  readonly isOver: boolean;
}

const viewOf = (record: SessionRecord, digested: Digested): View => {
  const state = stateAt(record.state, digested.now);
  const digest = stateDigestOf(state, digested);
  return { ...digested, record, digest, isOver: state.status === 'TERMINATED' };
};

/** The cursor after a record, with a digest of its last entry, which begins after `start`. */
const cursorOf = (
  { record, digest: state }: View,
  start: number,
  last: PositionedEntry | undefined,
): string => {
  const { sequence, historyPosition: position, historyVersion: version } = record;
  return cursorText({ sequence, start, position, state, entry: entryDigestOf(last), version });
};

const readingOf = <T extends object>(
  { record, messages, isOver }: View,
  cursor: string,
  told?: T,
) => {
  const { sequence, historyPosition: position, state } = record;
  const waiting = messages.length > 0 && { messages };
  return {
    cursor,
    expiry: expiryOf(state),
    budget: isOver ? undefined : state.budget,
    ...(told && { change: { ...told, ...waiting, sequence, position, cursor } }),
  };
};

/**
 * A lease or a wake also has a number among the changes: without leases, the number alone is no
 * change.
 */
const isAsKnown = ({ record, digest, isWithLeases }: View, cursor: WatchCursor): boolean => {
  if (isWithLeases && record.sequence !== cursor.sequence) return false;
  if (record.historyPosition !== cursor.position) return false;
  return record.historyVersion === cursor.version && digest === cursor.state;
};

/**
 * What has changed, from the entries after the start of a cursor; `other` if the last known entry
 * differs.
 */
const changedOf = (
  view: View,
  cursor: WatchCursor,
  entries: readonly PositionedEntry[],
): Reading | 'other' => {
  const added = entries.filter(({ position }) => position > cursor.position);
  if (entryDigestOf(entries.at(-1 - added.length)) !== cursor.entry) return 'other';
  const lastStart = entries.at(-2)?.position ?? cursor.start;
  const start = added.length === 0 ? cursor.start : lastStart;
  const next = cursorOf(view, start, entries.at(-1));
  // A watch that continues after the end reports it again, because the end is the last item of each
  // watch.
  const hasChanged = !isAsKnown(view, cursor) || added.length > 0 || view.isOver;
  if (!hasChanged) return readingOf(view, next);
  const session = summaryAt(view.record, view.now);
  return readingOf(view, next, { type: 'session.changed' as const, session, entries: added });
};

/** Reads sessions for watches. Watches at the same cursor share their reads. */
export class SessionReader {
  readonly #source: HubSource;
  readonly #shared = new SharedReads<Result<Reading | undefined, StoreError>>();

  constructor(source: HubSource) {
    this.#source = source;
  }

  read(read: SessionRead): Found<Reading | undefined> {
    const { key, cursor, historyLimit, mustCompare, isWithLeases } = read;
    const name = JSON.stringify([
      key.tenant,
      key.id,
      cursor,
      mustCompare,
      isWithLeases,
      historyLimit,
    ]);
    return this.#shared.read(name, async () => {
      const now = this.#source.now();
      if (now.isErr()) return err(now.error);
      const found = await this.#after(read, now.value);
      return found.map(deepFreeze);
    });
  }

  async #after(read: SessionRead, now: number): Found<Reading | undefined> {
    // `''` is never a cursor, so it means none.
    const cursor = parseWatchCursor(read.cursor ?? '');
    if (cursor === undefined) return this.#snapshot(read, now);
    const changes = await this.#changes(read, cursor, now);
    if (changes.isErr()) return err(changes.error);
    if (changes.value === 'other') return this.#snapshot(read, now);
    return ok(changes.value);
  }

  /**
   * The complete session, or its latest entries. If the history changes between the two reads, the
   * cursor does not fit it, so that the next read returns a new snapshot.
   */
  async #snapshot(
    { key, historyLimit, isWithLeases }: SessionRead,
    now: number,
  ): Found<Reading | undefined> {
    const found = await this.#find(key, { historyLimit });
    if (found.isErr()) return err(found.error);
    const record = found.value;
    if (record === undefined) return ok(undefined);
    const last = await this.#entries(key, { before: record.historyPosition, limit: 1 });
    if (last.isErr()) return err(last.error);
    const part = last.value;
    const messages = await this.#messages(key, record);
    return messages.map((waiting) => {
      const view = viewOf(record, { now, messages: waiting, isWithLeases });
      const cursor = cursorOf(view, part?.start ?? 0, part?.entries.at(-1));
      return readingOf(view, cursor, {
        type: 'session.snapshot' as const,
        session: sessionAt(record, now),
      });
    });
  }

  /**
   * What has changed; `other` if that cannot be reported as new entries, because the history was
   * rewound or redacted, or a later session has its id.
   */
  async #changes(
    { key, mustCompare, isWithLeases }: SessionRead,
    cursor: WatchCursor,
    now: number,
  ): Found<Reading | 'other' | undefined> {
    const [found, first] = await Promise.all([
      this.#find(key, { historyLimit: 0 }),
      mustCompare ? this.#entries(key, { after: cursor.start, limit: PART }) : undefined,
    ]);
    if (found.isErr()) return err(found.error);
    const record = found.value;
    if (record === undefined) return ok(undefined);
    const isBehind = record.sequence < cursor.sequence || record.historyPosition < cursor.position;
    if (isBehind) return ok('other');
    const messages = await this.#messages(key, record);
    if (messages.isErr()) return err(messages.error);
    const view = viewOf(record, { now, messages: messages.value, isWithLeases });
    const isSame = isAsKnown(view, cursor) && !view.isOver;
    if (first === undefined && isSame) {
      return ok(readingOf(view, cursorText({ ...cursor, sequence: record.sequence })));
    }
    const read = await this.#upTo(key, record, cursor, first);
    return read.map((entries) => (entries && changedOf(view, cursor, entries)) ?? 'other');
  }

  /**
   * The entries from the last known one up to the end of a record; undefined if the history has
   * changed otherwise.
   */
  async #upTo(
    key: SessionKey,
    { historyPosition: end, historyVersion }: SessionRecord,
    { start, version }: WatchCursor,
    first: Result<Part | undefined, StoreError> | undefined,
  ): Found<readonly PositionedEntry[] | undefined> {
    const entries: PositionedEntry[] = [];
    let part = first ?? (await this.#entries(key, { after: start, limit: PART }));
    for (let isAgain = false; ; isAgain = true) {
      if (part.isErr()) return err(part.error);
      const found = part.value;
      if (found?.version !== version || historyVersion !== version) return ok(undefined);
      // What was added after the record was read comes with the next read.
      entries.push(...found.entries.filter(({ position }) => position <= end));
      if (found.position >= end) return ok(entries);
      // Only the first part may be older than the record.
      if (isAgain && !found.hasMore) return ok(undefined);
      part = await this.#entries(key, { after: found.position, limit: PART });
    }
  }

  #find(key: SessionKey, size: ReadSize): Found<SessionRecord | undefined> {
    return safely(() => findSession(this.#source.store, key, size));
  }

  /**
   * The messages that wait, read after the record: one that was taken in between comes as an entry
   * with the next read.
   */
  async #messages(key: SessionKey, { state }: SessionRecord): Found<readonly Message[]> {
    if (state.work.inbox === undefined) return ok([]);
    const found = await safely(() => this.#source.store.messages(key));
    return found.map(waitingIn);
  }

  async #entries(key: SessionKey, slice: HistorySlice): Found<Part | undefined> {
    const part = await safely(() => this.#source.store.entries(key, slice));
    return part.map((found) => (found.outcome === 'found' ? found : undefined));
  }
}
