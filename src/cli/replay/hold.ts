import { okAsync, type ResultAsync } from 'neverthrow';
import type { SessionError } from '../../errors.js';
import type { SessionService } from '../../service/session-service.js';
import type { Conversation, Turn } from './conversation.js';

/** Turns in one append: a question and its answer. */
const EXCHANGE = 2;

const appendAll = (
  sessions: SessionService,
  id: string,
  turns: readonly Turn[],
): ResultAsync<unknown, SessionError> => {
  let done: ResultAsync<unknown, SessionError> = okAsync(undefined);
  for (let at = 0; at < turns.length; at += EXCHANGE) {
    const exchange = turns.slice(at, at + EXCHANGE);
    done = done.andThen(() => sessions.append(id, exchange));
  }
  return done;
};

/**
 * Holds a conversation in a session of its own: created, started, fed its turns, paused and resumed once in the
 * middle, terminated. Answers with the session's id.
 */
export const hold = (sessions: SessionService, { turns }: Conversation): ResultAsync<string, SessionError> => {
  const middle = Math.ceil(turns.length / 2);
  return sessions
    .create({ face: 'replay', profile: 'replay' })
    .mapErr((error): SessionError => error)
    .andThen(({ id }) =>
      sessions
        .start(id)
        .mapErr((error): SessionError => error)
        .andThen(() => appendAll(sessions, id, turns.slice(0, middle)))
        .andThen(() => sessions.pause(id))
        .andThen(() => sessions.resume(id))
        .andThen(() => appendAll(sessions, id, turns.slice(middle)))
        .andThen(() => sessions.terminate(id))
        .map(() => id),
    );
};
