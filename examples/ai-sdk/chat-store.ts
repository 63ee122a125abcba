// The messages of a chat of the AI SDK in the history of a Colloquy session, one entry each, as JSON. A message that is said
// again, to edit it or to have another answer, rewinds the history: it supersedes itself and all that followed.
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

interface Stored {
  readonly message: UIMessage;
  readonly content: string;
  /** The position before it. */
  readonly start: number;
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
  load(chatId: string): Promise<Result<readonly UIMessage[], SessionError>> {
    return this.#read(chatId).then((stored) => stored.map((all) => all.map(({ message }) => message)));
  }

  /** Takes the turn in a chat. It is `leased` while another request is being answered. */
  take(chatId: string): ResultAsync<Turn, LeaseError> {
    return this.#sessions
      .lease(chatId, { holder: nanoid(), seconds: ANSWER_SECONDS })
      .map(({ fencingToken }) => ({ chatId, fencingToken }));
  }

  /** Adds a message, once: a request that is repeated finds the message there, and `isAgain` says it anew. */
  async save({ chatId, fencingToken }: Turn, message: UIMessage, isAgain = false): Promise<Result<void, SessionError>> {
    const stored = await this.#read(chatId);
    if (stored.isErr()) return err(stored.error);
    const content = JSON.stringify(message);
    const known = stored.value.find((each) => each.message.id === message.id);
    if (known !== undefined && known.content === content && !isAgain) return ok();
    const rewind = known === undefined ? {} : { after: known.start };
    const entries = [{ role: message.role, content }];
    return (await this.#sessions.append(chatId, entries, { fencingToken, ...rewind })).map(() => undefined);
  }

  release({ chatId, fencingToken }: Turn): ResultAsync<unknown, SessionError> {
    return this.#sessions.release(chatId, { fencingToken });
  }

  async #read(chatId: string): Promise<Result<readonly Stored[], SessionError>> {
    const stored: Stored[] = [];
    let start = 0;
    for (let hasMore = true; hasMore; ) {
      const part = await this.#sessions.history(chatId, { after: start, limit: 1000 });
      if (part.isErr()) return err(part.error);
      for (const { content, position } of part.value.entries) {
        stored.push({ message: JSON.parse(content), content, start });
        start = position;
      }
      ({ hasMore } = part.value);
    }
    return ok(stored);
  }
}
