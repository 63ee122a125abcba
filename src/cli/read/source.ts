import type { Result } from 'neverthrow';
import type { SessionError } from '../../errors.js';
import type { SessionEvent } from '../../events/event.js';
import type { ListQuery, SessionPage } from '../../service/list-sessions.js';
import type { Session } from '../../session/session.js';
import type { EndReason } from '../../status.js';
import { type Failure, failure, misuse, textOf } from '../failure.js';

/** A session as it is shown. Why it ended is known where the source tells it. */
export type ReadSession = Pick<Session, 'id' | 'status' | 'duration' | 'options' | 'history' | 'createdAt'> & {
  readonly endReason?: EndReason;
};

export type ReadPage = Pick<SessionPage, 'total' | 'next' | 'unreadable'> & {
  readonly sessions: readonly ReadSession[];
};

/** What a session does while somebody looks on. */
export type ReadChange =
  | { readonly type: 'session.snapshot'; readonly session: ReadSession }
  | (Pick<SessionEvent, 'type' | 'id' | 'sequence' | 'at'> & { readonly endReason?: EndReason });

/** Where sessions are read, and nothing is changed. */
export interface SessionSource {
  /** Whether it lists by status itself; where not, sessions of another status are to be passed over. */
  readonly listsByStatus: boolean;
  list(query: ListQuery): PromiseLike<Result<ReadPage, Failure>>;
  get(id: string): PromiseLike<Result<ReadSession, Failure>>;
  watch(id: string): AsyncIterable<Result<ReadChange, Failure>>;
  close(): Promise<void>;
}

/** `createdAfter` as it is given on the command line. */
const asOption = (path: string): string =>
  path === 'id' ? 'ID' : `--${path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** An error of the library, for a person. `place` is where the sessions are. */
export const explain = (place: string, error: SessionError): Failure => {
  if (error.type === 'invalid_input') {
    return misuse(error.issues.map(({ path, message }) => `${asOption(path)} ${message}`).join('; '));
  }
  const cause = error.type === 'store_unavailable' && error.cause !== undefined ? ` (${textOf(error.cause)})` : '';
  return failure(`${place}: ${error.message}${cause}`);
};
