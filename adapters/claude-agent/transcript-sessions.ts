import type { Result, ResultAsync } from 'neverthrow';
import type { CreateSessionInput } from '../../src/service/create-session.js';
import type { LeaseInput, RenewInput } from '../../src/service/lease-session.js';
import type { EachQuery } from '../../src/service/list-sessions.js';
import type { SessionLease } from '../../src/session/session.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';

/** The session of a transcript in a list. */
export interface FoundTranscript {
  /** The id of the session. */
  readonly id: string;
  /** Its `context` is the key. */
  readonly options: { readonly context: string };
  /** The current lease; absent if there is none, or the answer does not contain it. */
  readonly lease?: SessionLease | undefined;
  /** When the session was created. */
  readonly createdAt: string;
  /** When the session last changed; absent if the answer does not contain it. */
  readonly updatedAt?: string | undefined;
}

/** The methods of a `SessionService` or a `SessionClient` that a `TranscriptStore` needs. */
export interface TranscriptSessions extends Conversations {
  /** The limits; absent in a client, which does not know them. */
  readonly policy?: { readonly limits: { readonly entriesPerAppend: number } } | undefined;
  /** `create` of the service. */
  create(input: CreateSessionInput): ResultAsync<{ readonly repeated?: true }, ConversationError>;
  /** `each` of the service. */
  each(query: EachQuery): AsyncIterable<Result<FoundTranscript, ConversationError>>;
  /** `lease` of the service. */
  lease(id: string, input: LeaseInput): ResultAsync<SessionLease, ConversationError>;
  /** `renew` of the service. */
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, ConversationError>;
  /** `delete` of the service. */
  delete(id: string): ResultAsync<void, ConversationError>;
}
