import { nanoid } from 'nanoid';
import type { Result, ResultAsync } from 'neverthrow';
import type { AppendOptions, NewHistoryEntry } from '../../src/service/append-history.js';
import type { Appended, HistoryPart } from '../../src/service/operation-results.js';
import type { HistoryQuery } from '../../src/service/read-history.js';

/** An error of a `SessionService` or a `SessionClient`. */
export interface ConversationError {
  /** The type of the error, such as `store_unavailable`. */
  readonly type: string;
  /** What happened, as text for people. */
  readonly message: string;
}

/** The methods of a `SessionService` or a `SessionClient` that a conversation needs. */
export interface Conversations<E extends ConversationError = ConversationError> {
  /** Adds entries to a history. */
  append(id: string, entries: readonly NewHistoryEntry[], options?: AppendOptions): ResultAsync<Appended, E>;
  /** Reads a part of a history. */
  history(id: string, query?: HistoryQuery): ResultAsync<HistoryPart, E>;
}

/** Maximum number of times that a write is sent if its answers are lost. */
export const ATTEMPTS = 3;

/**
 * Appends, and retries if the answer was lost. The engine recognises the operation id, so the entries are added only
 * once.
 */
export const appendOnce = async <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  entries: readonly NewHistoryEntry[],
  options: AppendOptions = {},
): Promise<Result<Appended, E>> => {
  const repeatable = { operationId: nanoid(), ...options };
  for (let attempt = 1; ; attempt += 1) {
    const appended = await sessions.append(id, entries, repeatable);
    if (appended.isOk() || appended.error.type !== 'store_unavailable' || attempt === ATTEMPTS) return appended;
  }
};
