import type { ResultAsync } from 'neverthrow';
import {
  type CreateSessionInput,
  type NewHistoryEntry,
  type OperationOptions,
  SessionService,
} from '../../../src/index.js';
import {
  type SessionError,
  type StoreUnavailable,
  storeUnavailable,
} from '../../../src/session/errors.js';

/**
 * The sessions of one writer on servers that may forget what they have acknowledged. A session that
 * is not as the writer has left it answers like a store that is not available, and `forgotten`
 * tells the writer to begin another.
 */
export class WatchedSessions extends SessionService {
  /** What the caller has heard each time that the store was not available. */
  readonly unavailable: string[] = [];
  forgotten = false;

  override create(input: CreateSessionInput) {
    return this.#watched(super.create(input));
  }

  override start(id: string, options?: OperationOptions) {
    return this.#watched(super.start(id, options));
  }

  override pause(id: string, options?: OperationOptions) {
    return this.#watched(super.pause(id, options));
  }

  override resume(id: string, options?: OperationOptions) {
    return this.#watched(super.resume(id, options));
  }

  override append(id: string, entries: readonly NewHistoryEntry[], options?: OperationOptions) {
    return this.#watched(super.append(id, entries, options));
  }

  override delete(id: string) {
    return this.#watched(super.delete(id));
  }

  #watched<T, E extends SessionError>(
    answer: ResultAsync<T, E>,
  ): ResultAsync<T, E | StoreUnavailable> {
    return answer.mapErr((error) => {
      if (error.type === 'store_unavailable')
        this.unavailable.push(`${error.message}: ${error.cause}`);
      if (error.type !== 'not_found' && error.type !== 'invalid_transition') return error;
      this.forgotten = true;
      return storeUnavailable('the session is not as it was left', 'not_applied');
    });
  }
}
