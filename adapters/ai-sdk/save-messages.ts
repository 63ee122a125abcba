import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { commandFields } from '../../src/input/command-inputs.js';
import { usageField } from '../../src/input/counters.js';
import { object } from '../../src/schema/object.js';
import { readSafely } from '../../src/schema/read-input.js';
import { type Out, optional } from '../../src/schema/schema.js';
import { onOrOff, whole } from '../../src/schema/values.js';
import type { HistoryMoved, InvalidInput } from '../../src/session/errors.js';
import type { Counters } from '../../src/session/session.js';
import {
  appendOnce,
  type ConversationError,
  type Conversations,
  rewindOnce,
} from '../sdk/append-once.js';
import { inCallersWords } from '../sdk/in-callers-words.js';
import { type ChatMessage, entryOf, hasContent, type Message } from './chat-message.js';
import { decide, findBack, notFound, outdated } from './find-messages.js';
import { uiMessages } from './parse-messages.js';

/** The result of `saveMessages`. */
export interface SavedMessages {
  /** The end of the chat after the call. */
  readonly position: number;
  /** Present if the call saved nothing because all messages were stored already. */
  readonly repeated?: true;
}

/** Options of `saveMessages`. */
export interface SaveOptions {
  /**
   * Answer the last given message again: the messages after it are superseded. The chat moves on
   * even if there are none, so that an answer that is still being written fails with
   * `history_moved`. Default: false.
   */
  readonly regenerate?: boolean | undefined;
  /**
   * The fencing token of a lease. If another lease is current, nothing is saved, and the call fails
   * with `lease_lost`. Default: no check.
   */
  readonly fencingToken?: number | undefined;
  /**
   * The end of the chat that the caller knows: the `position` of `loadMessages` or `saveMessages`.
   * If the chat has changed since, nothing is saved, and the call fails with `history_moved`.
   * Messages that are stored already don't count as a change. Default: no check, except that
   * messages that were added during this call are not superseded.
   */
  readonly ifPosition?: number | undefined;
  /**
   * Maximum number of the latest messages that are searched for the ids, from 1. If the first given
   * message is not among them, and the chat has more, the message may be stored further back, and
   * the call fails with `invalid_input`. Default: 10,000.
   */
  readonly search?: number | undefined;
  /**
   * Added to the counters of the session in the same step, for example `usageOf(await
   * result.usage)`. A call that saves nothing adds nothing, so it can be repeated. Default:
   * nothing.
   */
  readonly usage?: Counters | undefined;
}

const saveOptions = object({
  regenerate: onOrOff,
  fencingToken: commandFields.fencingToken,
  ifPosition: optional(whole(0)),
  search: optional(whole(1), 10_000),
  usage: usageField,
} satisfies Readonly<Record<keyof SaveOptions, unknown>>);

interface Parsed {
  readonly given: readonly Message[];
  readonly options: Out<typeof saveOptions>;
}

const parse = (messages: unknown, options: unknown): Result<Parsed, InvalidInput> =>
  readSafely((issues) => ({
    given: issues.read('messages', uiMessages, messages),
    options: issues.read('options', saveOptions, options),
  }));

/** The messages with content. If several have the same id, the last one counts. */
const latestOf = (messages: readonly Message[]): readonly Message[] => [
  ...new Map(messages.filter(hasContent).map((message) => [message.id, message])).values(),
];

/** The message field for each entry field. The data contain everything except the text. */
const fieldNames = new Map([
  ['id', '.id'],
  ['role', '.role'],
  ['content', '.parts'],
]);

const namesIn =
  (given: readonly Message[], added: readonly Message[]) =>
  (index: number, field: string): string => {
    const message = added[index];
    const at = message === undefined ? -1 : given.indexOf(message);
    return `messages[${at}]${fieldNames.get(field) ?? ''}`;
  };

/**
 * Saves messages by their ids, all of them in one step. A message that is already stored is not
 * stored again, so the call can be repeated. A stored message that has changed is replaced, and the
 * messages after it are superseded. Fails with `history_moved` if another caller has added messages
 * in the meantime, or if a message is older than its stored version: an answer that is a beginning
 * of the stored one, or tool calls that lag behind or contradict it, for example an approval by a
 * page that has not seen that the call was denied. A new message is appended, unless it is an
 * answer without content, which a failed model leaves. Values with a `toJSON` are stored as its
 * result. Other values that are not JSON, for example a `Map` or NaN, fail with `invalid_input`,
 * which names `messages[2].parts[0]`. Never rejects.
 */
export const saveMessages = <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  messages: readonly ChatMessage[],
  options: SaveOptions = {},
): ResultAsync<SavedMessages, E | InvalidInput | HistoryMoved> => {
  const save = async ({
    given,
    options: { regenerate, search, ifPosition: expected, ...more },
  }: Parsed): Promise<Result<SavedMessages, E | InvalidInput | HistoryMoved>> => {
    const wanted = latestOf(given);
    for (;;) {
      const found = await findBack(sessions, id, wanted, search);
      if (found.isErr()) return err(found.error);
      const { isComplete, end } = found.value;
      if (!isComplete) {
        const at = wanted[0] === undefined ? 0 : given.indexOf(wanted[0]);
        return err(notFound(search, `messages[${at}].id`));
      }
      const decided = decide(wanted, found.value, regenerate);
      if (decided === undefined) return err(outdated(id, end));
      const { added, to } = decided;
      if (added.length === 0 && to === undefined) return ok({ position: end, repeated: true });
      const change = { ...more, ifPosition: expected ?? end };
      const entries = added.map((message) => entryOf(message));
      const saved =
        to === undefined
          ? await appendOnce(sessions, id, entries, change)
          : await rewindOnce(sessions, id, { ...change, to, entries });
      const isMoved = saved.isErr() && saved.error.type === 'history_moved';
      // Another caller has added messages, so decide again. A rewind would drop those messages.
      if (isMoved && to === undefined && expected === undefined) continue;
      return saved
        .map(({ position }) => ({ position }))
        .mapErr((error) => inCallersWords(error, 'messages', namesIn(given, added)));
    }
  };
  return parse(messages, options).asyncAndThen((parsed) => new ResultAsync(save(parsed)));
};
