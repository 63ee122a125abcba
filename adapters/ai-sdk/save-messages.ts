import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { commandFields } from '../../src/input/command-inputs.js';
import { object } from '../../src/schema/object.js';
import { readSafely } from '../../src/schema/read-input.js';
import { type Out, optional } from '../../src/schema/schema.js';
import { onOrOff, whole } from '../../src/schema/values.js';
import type { HistoryPart } from '../../src/service/operation-results.js';
import { sameJson } from '../../src/session/canonical-json.js';
import {
  type HistoryMoved,
  historyMoved,
  type InvalidInput,
  invalidField,
} from '../../src/session/errors.js';
import { DEFAULT_HISTORY_LIMIT, HISTORY_LIMIT } from '../../src/session/limits.js';
import {
  appendOnce,
  type ConversationError,
  type Conversations,
  rewindOnce,
} from '../sdk/append-once.js';
import { inCallersWords } from '../sdk/in-callers-words.js';
import { type ChatMessage, entryOf, hasContent, type Message, messageOf } from './chat-message.js';
import { isOlder } from './is-older.js';
import { uiMessages } from './parse-messages.js';

const placedIn = ({ entries, start }: HistoryPart) =>
  entries.map((entry, index) => ({
    message: messageOf(entry),
    start: entries[index - 1]?.position ?? start,
    position: entry.position,
  }));

/** Messages, each with the positions before and after it. */
type PlacedMessages = ReturnType<typeof placedIn>;

/** Where messages were found. */
interface Found {
  readonly placed: PlacedMessages;
  /**
   * Whether the search came to the first message or to the beginning, so that no other one is
   * stored.
   */
  readonly isComplete: boolean;
  /** The end of the history. */
  readonly end: number;
}

/**
 * Finds messages, which are in the order of the chat: reads back from the end until the first one
 * is found, the history begins, or `search` messages are read.
 */
const findBack = async <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  messages: readonly Message[],
  search: number,
): Promise<Result<Found, E>> => {
  const [first] = messages;
  const ids = new Set(messages.map((message) => message.id));
  let part = await sessions.history(id, { last: Math.min(search, DEFAULT_HISTORY_LIMIT) });
  const end = part.map(({ position }) => position);
  const placed: PlacedMessages = [];
  for (let left = search; ; ) {
    if (part.isErr()) return err(part.error);
    // No others: a chat may be larger than the memory.
    placed.unshift(...placedIn(part.value).filter(({ message }) => ids.has(message.id)));
    left -= part.value.entries.length;
    const { start } = part.value;
    const isFound = first === undefined || placed.some(({ message }) => message.id === first.id);
    const isComplete = isFound || start === 0;
    if (isComplete || left <= 0) return end.map((known) => ({ placed, isComplete, end: known }));
    part = await sessions.history(id, { before: start, limit: Math.min(left, HISTORY_LIMIT) });
  }
};

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
   * Whether the last given message is to be answered anew: the messages after it are superseded,
   * and the chat moves on even if there are none, so that an answer that is still being written is
   * `history_moved`. Default: false.
   */
  readonly regenerate?: boolean | undefined;
  /**
   * The fencing token of a lease: if that is not the current lease, nothing is saved, and the error
   * is `lease_lost`. Default: no check.
   */
  readonly fencingToken?: number | undefined;
  /**
   * The end of the chat that the caller knows: the `position` of `loadMessages` or `saveMessages`.
   * If the chat has changed since, nothing is saved: `history_moved`, for an answer that comes too
   * late. Messages that are stored already are no change. Default: no check, except that what was
   * added during this call is not superseded.
   */
  readonly ifPosition?: number | undefined;
  /**
   * Whether to wake the session for a worker in the same step. If nothing is saved, it is not
   * woken: an earlier call has. Default: false.
   */
  readonly wake?: boolean | undefined;
  /**
   * Maximum number of the latest messages that are searched for the ids. If the first of the given
   * messages is not among them, and the chat has more, it may be stored further back: the error is
   * `invalid_input`. Default: 10,000.
   */
  readonly search?: number | undefined;
}

const saveOptions = object({
  regenerate: onOrOff,
  fencingToken: commandFields.fencingToken,
  ifPosition: optional(whole(0)),
  wake: onOrOff,
  search: optional(whole(1), 10_000),
} satisfies Readonly<Record<keyof SaveOptions, unknown>>);

/** The arguments as they were read, which nobody else can change. */
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

/**
 * The messages to save, and the position to rewind to, if messages are superseded or answered anew.
 * Undefined if one of the messages is an older version of the stored one.
 */
const decide = (messages: readonly Message[], { placed }: Found, regenerate: boolean) => {
  const known = new Map(placed.map((each) => [each.message.id, each]));
  const isOutdated = messages.some((message) => {
    const stored = known.get(message.id)?.message;
    return stored !== undefined && !sameJson(stored, message) && isOlder(message, stored);
  });
  if (isOutdated) return undefined;
  const cuts = messages.flatMap((message) => {
    const there = known.get(message.id);
    if (there === undefined) return [];
    if (!sameJson(there.message, message)) return [there.start];
    if (regenerate && message === messages.at(-1)) return [there.position];
    return [];
  });
  const to = Math.min(...cuts);
  // A new message has no position.
  const added = messages.filter(({ id }) => !((known.get(id)?.position ?? Number.NaN) <= to));
  return { added, to: cuts.length > 0 ? to : undefined };
};

const outdated = (id: string, end: number): HistoryMoved => ({
  ...historyMoved(id, end),
  message: 'a message is older than its stored version: load the chat again',
});

const notFound = (search: number, at: number): InvalidInput => {
  const message = `is not among the latest ${search} messages, and the chat has more: search further, with \`search\``;
  return invalidField(`messages[${at}].id`, message);
};

/** The fields of a message by those of its entry. Its data are all that is not the text. */
const fieldNames = new Map([
  ['id', '.id'],
  ['role', '.role'],
  ['content', '.parts'],
]);

/** Names a message that was to be added by its place among the given ones. */
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
      if (!isComplete)
        return err(notFound(search, wanted[0] === undefined ? 0 : given.indexOf(wanted[0])));
      const decided = decide(wanted, found.value, regenerate);
      if (decided === undefined) return err(outdated(id, end));
      const { added, to } = decided;
      if (added.length === 0 && to === undefined) return ok({ position: end, repeated: true });
      const change = { ...more, ifPosition: expected ?? end };
      const entries = added.map(entryOf);
      const saved =
        to === undefined
          ? await appendOnce(sessions, id, entries, change)
          : await rewindOnce(sessions, id, { ...change, to, entries });
      const isMoved = saved.isErr() && saved.error.type === 'history_moved';
      // Another caller has added to the chat, so decide again. A rewind would then drop what that
      // caller has added.
      if (isMoved && to === undefined && expected === undefined) continue;
      return saved
        .map(({ position }) => ({ position }))
        .mapErr((error) => inCallersWords(error, 'messages', namesIn(given, added)));
    }
  };
  return parse(messages, options).asyncAndThen((parsed) => new ResultAsync(save(parsed)));
};
