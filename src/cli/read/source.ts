import type { Result, ResultAsync } from 'neverthrow';
import type { ClientError } from '../../client/index.js';
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

/** Why there is nothing to follow. */
export const UNTOLD = 'no changes are told there: switch events on in the service, such as with COLLOQUY_EVENTS=on';

/** Where on the command line a field comes from. */
const ORIGINS: Readonly<Record<string, string>> = { id: 'ID', baseUrl: '--url', apiKey: 'COLLOQUY_API_KEY' };

const asOption = (path: string): string =>
  ORIGINS[path] ?? `--${path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')}`;

/** `fetch` says that it failed, and keeps why behind that. */
const rootOf = (cause: unknown): unknown => (cause instanceof Error && cause.cause !== undefined ? cause.cause : cause);

/** An error of the library, for a person. `place` is where the sessions are. */
export const explain = (place: string, error: SessionError | ClientError): Failure => {
  if (error.type === 'invalid_input') {
    return misuse(error.issues.map(({ path, message }) => `${asOption(path)} ${message}`).join('; '));
  }
  const cause = 'cause' in error && error.cause !== undefined ? ` (${textOf(rootOf(error.cause))})` : '';
  return failure(`${place}: ${error.message}${cause}`);
};

type ReadError = SessionError | ClientError;

/** As far as a service in this process and the client of one elsewhere are the same. */
interface Readable {
  list(query: ListQuery): ResultAsync<ReadPage, ReadError>;
  get(id: string): ResultAsync<ReadSession, ReadError>;
}

/** Lists and single sessions, with what goes wrong explained for a person. */
export const reading = (sessions: Readable, place: string): Pick<SessionSource, 'list' | 'get'> => ({
  list: (query) => sessions.list(query).mapErr((error) => explain(place, error)),
  get: (id) => sessions.get(id).mapErr((error) => explain(place, error)),
});
