import { okAsync, type ResultAsync, type SessionError, type SessionService } from 'colloquy';

/** The id of the session of a conversation, which is created and started by the first call, in whichever process. */
export const openConversation = (sessions: SessionService, conversation: string): ResultAsync<string, SessionError> =>
  sessions
    .create({ face: 'agent', profile: 'tutor', idempotencyKey: conversation, historyLimit: 0 })
    .andThen(({ id, status }) =>
      status === 'IDLE' ? sessions.start(id, { operationId: 'open' }).map(() => id) : okAsync(id),
    );
