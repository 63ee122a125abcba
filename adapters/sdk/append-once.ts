import { nanoid } from 'nanoid';
import type { Result, ResultAsync } from 'neverthrow';
import { having } from '../../src/schema/host-values.js';
import type { AppendOptions } from '../../src/service/append-history.js';
import type { OperationOptions } from '../../src/service/apply-command.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import type { Appended, HistoryPart } from '../../src/service/operation-results.js';
import type { HistoryQuery } from '../../src/service/read-history.js';
import type { RewindInput } from '../../src/service/rewind-history.js';

/** An error of a `SessionService` or a `SessionClient`. */
export interface ConversationError {
  /** The type of the error, for example `store_unavailable`. */
  readonly type: string;
  /** What happened, for people. */
  readonly message: string;
}

/** The methods of a `SessionService` or a `SessionClient` that a conversation needs. */
export interface Conversations<E extends ConversationError = ConversationError> {
  /** Adds entries to a history. */
  append(
    id: string,
    entries: readonly NewHistoryEntry[],
    options?: AppendOptions,
  ): ResultAsync<Appended, E>;
  /** Goes back in a history. */
  rewind(id: string, input: RewindInput): ResultAsync<Appended, E>;
  /** Reads a part of a history. */
  history(id: string, query?: HistoryQuery): ResultAsync<HistoryPart, E>;
}

/** A `SessionService` or a `SessionClient`. */
export const someSessions = having(
  'must be a SessionService or a SessionClient',
  'append',
  'rewind',
  'history',
);

export const ATTEMPTS = 3;

/**
 * Writes, and retries if the answer was lost. The engine recognises the operation id, so the change
 * is made only once.
 */
const writeOnce = async <E extends ConversationError>(
  { operationId = nanoid() }: OperationOptions,
  write: (operationId: string) => ResultAsync<Appended, E>,
): Promise<Result<Appended, E>> => {
  for (let attempt = 1; ; attempt += 1) {
    const written = await write(operationId);
    if (written.isOk() || written.error.type !== 'store_unavailable' || attempt === ATTEMPTS)
      return written;
  }
};

export const appendOnce = <E extends ConversationError>(
  sessions: Pick<Conversations<E>, 'append'>,
  id: string,
  entries: readonly NewHistoryEntry[],
  options: AppendOptions = {},
): Promise<Result<Appended, E>> =>
  writeOnce(options, (operationId) => sessions.append(id, entries, { ...options, operationId }));

export const rewindOnce = <E extends ConversationError>(
  sessions: Pick<Conversations<E>, 'rewind'>,
  id: string,
  input: RewindInput,
): Promise<Result<Appended, E>> =>
  writeOnce(input, (operationId) => sessions.rewind(id, { ...input, operationId }));
