import type {
  Admit,
  Answer,
  EventLog,
  HistoryAppend,
  HistorySlice,
  PageRange,
  ReadSize,
  Removal,
  Rescheduling,
  SessionHead,
  SessionKey,
  SessionStore,
  StateRecord,
  StoreError,
} from 'colloquy';
import { ok, type Result } from 'neverthrow';

/** One write: who has done what to which session, and nothing of what was said in it. */
export interface AuditEntry extends SessionKey {
  readonly action: string;
  /** `unknown` where the store has not answered, and the write may have been made all the same. */
  readonly outcome: 'done' | 'unknown';
}

/** Where entries go. A write whose entry cannot be kept counts as one with an unknown outcome. */
export type AuditLog = (entry: AuditEntry) => void | Promise<void>;

/** A store that writes down each change, over any other store that makes it. */
export class AuditedSessionStore implements SessionStore {
  readonly #inner: SessionStore;
  readonly #log: AuditLog;

  constructor(inner: SessionStore, log: AuditLog) {
    this.#inner = inner;
    this.#log = log;
  }

  insert(tenant: string, head: SessionHead, state: StateRecord) {
    const { id } = head;
    return this.#audit(
      { tenant, id },
      'create',
      this.#inner.insert(tenant, head, state),
      (done) => done === 'inserted',
    );
  }

  replace(key: SessionKey, next: StateRecord) {
    return this.#audit(key, `to ${next.status}`, this.#inner.replace(key, next), (done) => done === 'replaced');
  }

  append(key: SessionKey, append: HistoryAppend) {
    const action = `append ${append.entries.length}`;
    return this.#audit(key, action, this.#inner.append(key, append), ({ outcome }) => outcome === 'appended');
  }

  remove(key: SessionKey, removal?: Removal) {
    return this.#audit(key, 'delete', this.#inner.remove(key, removal), (done) => done === 'removed');
  }

  // Reads are passed on as they are.
  find<E = never>(key: SessionKey, size?: ReadSize, admit?: Admit<E>) {
    return this.#inner.find(key, size, admit);
  }

  findState(key: SessionKey) {
    return this.#inner.findState(key);
  }

  findEntries(key: SessionKey, slice: HistorySlice) {
    return this.#inner.findEntries(key, slice);
  }

  list<E = never>(tenant: string, page: PageRange, admit?: Admit<E>) {
    return this.#inner.list(tenant, page, admit);
  }

  due(now: number, limit: number, after?: string) {
    return this.#inner.due(now, limit, after);
  }

  reschedule(key: SessionKey, rescheduling: Rescheduling) {
    return this.#inner.reschedule(key, rescheduling);
  }

  purge(now: number, limit: number, after?: string) {
    return this.#inner.purge?.(now, limit, after) ?? ok(0);
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
    const mayBeDone = result.isErr() && result.error.type === 'store_unavailable' && result.error.outcome === 'unknown';
    if (mayBeDone) await this.#log({ action, tenant, id, outcome: 'unknown' });
    if (result.isOk() && isDone(result.value)) await this.#log({ action, tenant, id, outcome: 'done' });
    return result;
  }
}
