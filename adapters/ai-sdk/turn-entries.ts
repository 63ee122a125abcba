import type { Result } from 'neverthrow';
import { readSafely } from '../../src/schema/read-input.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import type { InvalidInput } from '../../src/session/errors.js';
import { type ChatMessage, entryOf, hasContent } from './chat-message.js';
import { uiMessages } from './parse-messages.js';

/**
 * The history entries of messages, for `run` of a worker or `reply` to return: they are stored in
 * the same step as the end of the turn. Leaves out answers without content, which a failed or
 * stopped model leaves.
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: async ({ history, signal }) => entriesOf(await askModel(messagesOf(history), signal)),
 * });
 * ```
 */
export const entriesOf = (
  messages: readonly ChatMessage[],
): Result<readonly NewHistoryEntry[], InvalidInput> =>
  readSafely((issues) => issues.read('messages', uiMessages, messages)).map((given) =>
    given.filter(hasContent).map((message) => entryOf(message)),
  );
