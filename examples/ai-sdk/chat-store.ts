// The messages of a chat of the AI SDK in the history of a Colloquy session, one entry each, as JSON. A history is
// append-only: a message that is said again, to edit it or to have another answer, replaces itself and all that followed.
import { createHash } from 'node:crypto';
import type { UIMessage } from 'ai';
import {
  err,
  type LeaseError,
  ok,
  type Result,
  type ResultAsync,
  type SessionError,
  type SessionService,
} from 'colloquy';
import { nanoid } from 'nanoid';

/** How long a worker may take for an answer, in seconds, before another may have the chat. */
const ANSWER_SECONDS = 120;

/** The right to write to a chat. Nobody else has it until it is released or its time is over. */
export interface Turn {
  readonly chatId: string;
  readonly fencingToken: number;
}

export class ChatStore {
  readonly #sessions: SessionService;

  constructor(sessions: SessionService) {
    this.#sessions = sessions;
  }

  /** Begins a chat, and gives its id. */
  create(): ResultAsync<string, SessionError> {
    return this.#sessions
      .create({ face: 'assistant', profile: 'chat' })
      .andThen(({ id }) => this.#sessions.start(id))
      .map(({ id }) => id);
  }

  /** The messages of a chat, oldest first, as the route has checked and the SDK has made them. */
  async load(chatId: string): Promise<Result<readonly UIMessage[], SessionError>> {
    const messages = new Map<string, UIMessage>();
    for (let after = 0; ; ) {
      const part = await this.#sessions.history(chatId, { after, limit: 1000 });
      if (part.isErr()) return err(part.error);
      for (const { content } of part.value.entries) {
        const message: UIMessage = JSON.parse(content);
        if (messages.has(message.id)) for (const id of idsFrom(messages, message.id)) messages.delete(id);
        messages.set(message.id, message);
      }
      if (!part.value.hasMore) return ok([...messages.values()]);
      after = part.value.position;
    }
  }

  /** Takes the turn in a chat. It is `leased` while another request is being answered. */
  take(chatId: string): ResultAsync<Turn, LeaseError> {
    return this.#sessions
      .lease(chatId, { holder: nanoid(), seconds: ANSWER_SECONDS })
      .map(({ fencingToken }) => ({ chatId, fencingToken }));
  }

  /** Adds a message, once: a request that is repeated finds the message there, and `isAgain` says it anew. */
  save({ chatId, fencingToken }: Turn, message: UIMessage, isAgain = false): ResultAsync<unknown, SessionError> {
    const content = JSON.stringify(message);
    const operationId = isAgain ? nanoid() : createHash('sha256').update(content).digest('base64url');
    return this.#sessions.append(chatId, [{ role: message.role, content }], { operationId, fencingToken });
  }

  release({ chatId, fencingToken }: Turn): ResultAsync<unknown, SessionError> {
    return this.#sessions.release(chatId, { fencingToken });
  }
}

/** A message and all that follow it. */
const idsFrom = (messages: ReadonlyMap<string, UIMessage>, first: string): readonly string[] => {
  const ids = [...messages.keys()];
  return ids.slice(ids.indexOf(first));
};
