import type { Result } from 'neverthrow';
import type { SearchTooLarge, StoreError, TooLarge } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type {
  BeginCommit,
  Begun,
  ChangeCommit,
  Changed,
  DueKey,
  DueSessions,
  EntriesOutcome,
  HistorySlice,
  PageRange,
  ReadSize,
  RecordPage,
  RemoveCommit,
  Removed,
  SessionKey,
  SessionStore,
  StoredMessage,
  TakenRecords,
  TakeRange,
  WaitingRange,
} from '../../src/store/session-store.js';
import { BEGIN_GUARDS, REMOVE_GUARDS } from '../stored/refusals.js';
import { type Answer, Call, type CallSource } from './call.js';
import { beginInput, type CommitInput, changeInput, removeInput } from './commit-input.js';
import { changedOf, outcomeOf } from './commit-outcome.js';
import { findEntries, findMessages, findSession, findState } from './find-session.js';
import type { CommitWriter } from './pending-commit.js';
import { readPage } from './read-page.js';
import { countWaiting, readDue, takeSessions } from './read-queue.js';

/** Commits and reads, each in a call of its own: of the host's pool, or of its transaction. */
export class SessionCalls implements SessionStore {
  readonly #source: CallSource;
  readonly #writer: CommitWriter;
  readonly #publishSoon: () => void;

  constructor(source: CallSource, writer: CommitWriter, publishSoon = (): void => undefined) {
    this.#source = source;
    this.#writer = writer;
    this.#publishSoon = publishSoon;
  }

  /**
   * Settles when no call is under way. With a `SessionService`, call its `drain` instead: an
   * operation may be between two calls. Closing the pool ends calls that are on their way.
   *
   * @example
   * ```ts
   * const store = new PostgresSessionStore({ pool });
   * await store.drain(); // then `await pool.end()`
   * ```
   */
  drain(): Promise<void> {
    return this.#source.underWay.drain();
  }

  async begin(commit: BeginCommit): Promise<Result<Begun, StoreError>> {
    const written = await this.#write(beginInput(commit));
    return written.andThen((found) => outcomeOf(commit.key.id, BEGIN_GUARDS, found));
  }

  async change(commit: ChangeCommit): Promise<Result<Changed, StoreError>> {
    const written = await this.#write(changeInput(commit));
    return written.andThen((found) => changedOf(commit.key.id, found));
  }

  async remove(commit: RemoveCommit): Promise<Result<Removed, StoreError>> {
    const written = await this.#write(removeInput(commit));
    return written.andThen((found) => outcomeOf(commit.key.id, REMOVE_GUARDS, found));
  }

  take(range: TakeRange): Promise<Result<TakenRecords, StoreError>> {
    return takeSessions(this.#call(), range);
  }

  find(
    key: SessionKey,
    size: ReadSize = {},
  ): Promise<Result<SessionRecord | undefined, StoreError | TooLarge>> {
    return findSession(this.#call(), key, size);
  }

  async reportsEnds(): Promise<Result<boolean, StoreError>> {
    const deployment = await this.#call().deployment();
    return deployment.map(({ reportEnds }) => reportEnds);
  }

  findState(key: DueKey): Promise<Result<StateRecord | undefined, StoreError>> {
    return findState(this.#call(), key);
  }

  messages(
    key: SessionKey,
    ids?: readonly string[],
  ): Promise<Result<readonly StoredMessage[], StoreError>> {
    return findMessages(this.#call(), key, ids);
  }

  entries(key: SessionKey, slice: HistorySlice): Promise<Result<EntriesOutcome, StoreError>> {
    return findEntries(this.#call(), key, slice);
  }

  page(
    tenant: string,
    range: PageRange,
  ): Promise<Result<RecordPage, StoreError | SearchTooLarge | TooLarge>> {
    return readPage(this.#call(), tenant, range);
  }

  due(now: number, limit: number): Promise<Result<DueSessions, StoreError>> {
    return readDue(this.#call(), now, limit);
  }

  countWaiting(range: WaitingRange): Promise<Result<number, StoreError>> {
    return countWaiting(this.#call(), range);
  }

  #call(): Call {
    return new Call(this.#source);
  }

  async #write(commit: CommitInput): Answer<Fields, StoreError> {
    const written = await this.#writer.write(this.#call(), commit);
    const isMade = written.isOk() && written.value['refusal'] === null;
    if (isMade && 'events' in commit && commit.events.length > 0) this.#publishSoon();
    return written;
  }
}
