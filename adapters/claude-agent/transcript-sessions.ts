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
  /** The current lease, if there is one and it is shown. */
  readonly lease?: SessionLease | undefined;
  /** When the session was created. */
  readonly createdAt: string;
  /** When the session last changed, if that is shown. */
  readonly updatedAt?: string | undefined;
}

/** What a `TranscriptStore` needs of a `SessionService`. A `SessionClient` has it too. */
export interface TranscriptSessions extends Conversations {
  /** The limits, where they are known. */
  readonly policy?: { readonly limits: { readonly entriesPerAppend: number } };
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
