import type {
  Answer,
  BeginCommit,
  ChangeCommit,
  DueKey,
  EventLog,
  HistorySlice,
  PageRange,
  ReadSize,
  RemoveCommit,
  Result,
  SessionKey,
  SessionStore,
  StoreError,
  TakeRange,
  WaitingRange,
} from 'colloquy';
import { isMove, isRedaction } from 'colloquy';

/** One write: its tenant, method and session, without any text of the session. */
export interface AuditEntry extends SessionKey {
  readonly action: string;
  /** `unknown` if the store did not answer: the write may have been applied. */
  readonly outcome: 'done' | 'unknown';
}

/** Stores audit entries. If an entry cannot be stored, the outcome of its write is unknown. */
export type AuditLog = (entry: AuditEntry) => void | Promise<void>;

/** What a change does; undefined for a move of the sweep, which changes no session. */
const actionOf = (commit: ChangeCommit): string | undefined => {
  if (isMove(commit)) return undefined;
  if (isRedaction(commit)) return `redact ${commit.effects.redact.length}`;
  const { put, entries = [] } = commit.effects;
  return put === undefined ? `append ${entries.length}` : `to ${put.state.status}`;
};

/** Wraps a store, and records each change. */
export class AuditedSessionStore implements SessionStore {
  readonly #inner: SessionStore;
  readonly #log: AuditLog;

  constructor(inner: SessionStore, log: AuditLog) {
    this.#inner = inner;
    this.#log = log;
  }

  begin(commit: BeginCommit) {
    return this.#audit(commit.key, 'create', this.#inner.begin(commit));
  }

  change(commit: ChangeCommit) {
    const changed = this.#inner.change(commit);
    const action = actionOf(commit);
    return action === undefined ? changed : this.#audit(commit.key, action, changed);
  }

  remove(commit: RemoveCommit) {
    return this.#audit(commit.key, 'delete', this.#inner.remove(commit));
  }

  // Reads, and what queues need, are passed on unchanged.
  find(key: SessionKey, size?: ReadSize) {
    return this.#inner.find(key, size);
  }

  findState(key: DueKey) {
    return this.#inner.findState(key);
  }

  messages(key: SessionKey, ids?: readonly string[]) {
    return this.#inner.messages(key, ids);
  }

  entries(key: SessionKey, slice: HistorySlice) {
    return this.#inner.entries(key, slice);
  }

  page(tenant: string, range: PageRange) {
    return this.#inner.page(tenant, range);
  }

  due(now: number, limit: number, after?: string) {
    return this.#inner.due(now, limit, after);
  }

  take(range: TakeRange) {
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

  async #audit<T extends { readonly outcome: string }>(
    { tenant, id }: SessionKey,
    action: string,
    answer: Answer<T, StoreError>,
  ): Promise<Result<T, StoreError>> {
    const result = await answer;
    const mayBeDone =
      result.isErr() &&
      result.error.type === 'store_unavailable' &&
      result.error.outcome === 'unknown';
    if (mayBeDone) await this.#log({ action, tenant, id, outcome: 'unknown' });
    if (result.isOk() && result.value.outcome !== 'refused')
      await this.#log({ action, tenant, id, outcome: 'done' });
    return result;
  }
}
