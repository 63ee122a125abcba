import type { ResultAsync } from 'neverthrow';
import type { GetOrCreateInput } from '../../src/service/get-or-create.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import type { ConversationError, Conversations } from '../sdk/append-once.js';

/** The part of a session that an `EngineSession` reads. */
export interface FoundSession {
  /** The status of the session. */
  readonly status: SessionStatus;
}

/** The methods of a `SessionService` or a `SessionClient` that an `EngineSession` needs. */
export interface AgentSessions extends Conversations {
  /** `get` of the service. */
  get(
    id: string,
    options: { readonly historyLimit: number },
  ): ResultAsync<FoundSession, ConversationError>;
  /** `getOrCreate` of the service. */
  getOrCreate(input: GetOrCreateInput): ResultAsync<FoundSession, ConversationError>;
}
