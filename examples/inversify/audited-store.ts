import type {
  Answer,
  DueKey,
  EventLog,
  HistoryAppend,
  HistorySlice,
  Opening,
  PageRange,
  ReadSize,
  Removal,
  ReplaceOptions,
  Rescheduling,
  Result,
  SessionHead,
  SessionKey,
  SessionStore,
  StateRecord,
  StoreError,
  TakeRange,
  WaitingRange,
} from 'colloquy';

/** One write: its tenant, method and session, without any text of the session. */
export interface AuditEntry extends SessionKey {
  readonly action: string;
  /** `unknown` if the store did not answer: the write may have been applied. */
  readonly outcome: 'done' | 'unknown';
}

/** Stores audit entries. If an entry cannot be stored, the outcome of its write is unknown. */
export type AuditLog = (entry: AuditEntry) => void | Promise<void>;

/** Wraps a store, and records each change. */
export class AuditedSessionStore implements SessionStore {
  readonly #inner: SessionStore;
  readonly #log: AuditLog;

  constructor(inner: SessionStore, log: AuditLog) {
    this.#inner = inner;
    this.#log = log;
  }

  insert(tenant: string, head: SessionHead, state: StateRecord, opening?: Opening) {
    const { id } = head;
    return this.#audit(
      { tenant, id },
      'create',
      this.#inner.insert(tenant, head, state, opening),
      (done) => done === 'inserted' || typeof done === 'object',
    );
  }

  replace(key: DueKey, previous: StateRecord, next: StateRecord, options?: ReplaceOptions) {
    const replaced = this.#inner.replace(key, previous, next, options);
    return this.#audit(key, `to ${next.status}`, replaced, (done) => done === 'replaced');
  }

  append(key: SessionKey, append: HistoryAppend) {
    const action = `append ${append.entries.length}`;
    return this.#audit(
      key,
      action,
      this.#inner.append(key, append),
      ({ outcome }) => outcome === 'appended',
    );
  }

  redact(key: SessionKey, positions: readonly number[], now: number) {
    const action = `redact ${positions.length}`;
    return this.#audit(
      key,
      action,
      this.#inner.redact(key, positions, now),
      (done) => done === 'redacted',
    );
  }

  remove(key: DueKey, removal?: Removal) {
    return this.#audit(
      key,
      'delete',
      this.#inner.remove(key, removal),
      (done) => done === 'removed',
    );
  }

  // Reads, and what queues need, are passed on unchanged.
  find(key: SessionKey, size?: ReadSize) {
    return this.#inner.find(key, size);
  }

  findState(key: DueKey) {
    return this.#inner.findState(key);
  }

  entries(key: SessionKey, slice: HistorySlice) {
    return this.#inner.entries(key, slice);
  }

  list(tenant: string, page: PageRange) {
    return this.#inner.page(tenant, page);
  }

  due(now: number, limit: number, after?: string) {
    return this.#inner.due(now, limit, after);
  }

  reschedule(key: DueKey, rescheduling: Rescheduling) {
    return this.#inner.reschedule(key, rescheduling);
  }

  claim(range: TakeRange) {
    return this.#inner.take(range);
  }

  countWaiting(range: WaitingRange) {
    return this.#inner.countWaiting(range);
  }

  reportsEnds() {
    return this.#inner.reportsEnds();
  }

  get events(): EventLog | undefined {
    return this.#inner.events;
  }

  async #audit<T>(
    { tenant, id }: SessionKey,
    action: string,
    answer: Answer<T, StoreError>,
    isDone: (value: T) => boolean,
  ): Promise<Result<T, StoreError>> {
    const result = await answer;
    const mayBeDone =
      result.isErr() &&
      result.error.type === 'store_unavailable' &&
      result.error.outcome === 'unknown';
    if (mayBeDone) await this.#log({ action, tenant, id, outcome: 'unknown' });
    if (result.isOk() && isDone(result.value))
      await this.#log({ action, tenant, id, outcome: 'done' });
    return result;
  }
}
