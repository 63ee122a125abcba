import { nanoid } from 'nanoid';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { object } from '../../src/schema/object.js';
import { readSafely } from '../../src/schema/read-input.js';
import { type Out, optional, schema } from '../../src/schema/schema.js';
import { onOrOff, whole } from '../../src/schema/values.js';
import type { CreateIfMissing, NewMessage, SendOptions } from '../../src/service/send-message.js';
import type { Sent } from '../../src/service/turn-results.js';
import type { HistoryMoved, InvalidInput } from '../../src/session/errors.js';
import { sameJson } from '../../src/session/json.js';
import type { Message as Waiting } from '../../src/session/message.js';
import { type ConversationError, type Conversations, rewindOnce } from '../sdk/append-once.js';
import { withPaths } from '../sdk/in-callers-words.js';
import { type ChatMessage, entryOf, type Message, messageOf } from './chat-message.js';
import { decide, type Found, findBack, notFound, outdated } from './find-messages.js';
import { uiMessage } from './parse-messages.js';

/** The methods of a `SessionService` or a `SessionClient` that an inbox needs. */
export interface Inboxes<E extends ConversationError = ConversationError> {
  /** Puts a message at the end of an inbox. */
  send(id: string, message: NewMessage, options?: SendOptions): ResultAsync<Sent, E>;
  /** Lists the messages that wait. */
  inbox(id: string): ResultAsync<readonly Waiting[], E>;
}

/** The result of `sendMessage`. */
export interface SentMessage {
  /**
   * The id of the message in the inbox, for `answer` and `withdraw`: the id of the `UIMessage`,
   * with a suffix if it was edited.
   */
  readonly id: string;
  /** Present if the call changed nothing because the message was sent before. */
  readonly repeated?: true;
}

/** Options of `sendMessage`. */
export interface SendMessageOptions {
  /**
   * Answer a message that is stored already again: later entries are superseded. Default: false.
   */
  readonly regenerate?: boolean | undefined;
  /** Creates and starts the session if it is missing. Default: fails with `not_found`. */
  readonly create?: CreateIfMissing | undefined;
  /**
   * Maximum number of the latest messages that are searched for the id, from 1. If it is not among
   * them, and the chat has more, the call fails with `invalid_input`. Default: 10,000.
   */
  readonly search?: number | undefined;
}

const sendOptions = object({
  regenerate: onOrOff,
  // The engine reads it.
  create: optional(schema((_issues, _path, value) => value)),
  search: optional(whole(1), 10_000),
} satisfies Readonly<Record<keyof SendMessageOptions, unknown>>);

interface Sending<E extends ConversationError> {
  readonly sessions: Conversations<E> & Inboxes<E>;
  readonly id: string;
  readonly message: Message;
  readonly options: Omit<Out<typeof sendOptions>, 'create'>;
  readonly create: CreateIfMissing | undefined;
}

type SendResult<E> = Result<SentMessage, E | InvalidInput | HistoryMoved>;

/** An inbox id belongs to one text, so an edit has a new id. */
const inboxMessage = (message: Message, id = message.id): NewMessage => {
  const { data, ...entry } = entryOf(message);
  if (id === message.id) return { ...entry, id, ...(data !== undefined && { data }) };
  return { ...entry, id, data: { parts: message.parts, ...Object(data), id: message.id } };
};

const editOf = (message: Message): NewMessage & { readonly id: string } => {
  const id = `${message.id}/${nanoid()}`;
  return { ...inboxMessage(message, id), id };
};

/**
 * Sends a message that is not in the history. It gets a new id if its own id belongs to another
 * text, or to a withdrawn message that is to be answered after all.
 */
const sendNew = async <E extends ConversationError>({
  sessions,
  id,
  message,
  create,
  options: { regenerate },
}: Sending<E>): Promise<Result<SentMessage, E>> => {
  const sent = await sessions.send(id, inboxMessage(message), { create });
  const isNew = sent.match(
    ({ state }) => regenerate && (state === 'withdrawn' || state === 'superseded'),
    ({ type }) => type === 'operation_mismatch',
  );
  const last = isNew === true ? await sessions.send(id, editOf(message), { create }) : sent;
  return last.map(({ id: name, repeated }) => ({ id: name, ...(repeated && { repeated }) }));
};

const replaceWaiting = async <E extends ConversationError>(
  { sessions, id, message }: Sending<E>,
  waiting: Waiting,
): Promise<Result<SentMessage, E>> => {
  const { id: before } = waiting;
  if (sameJson(messageOf({ ...waiting, position: 0 }), message))
    return ok({ id: before, repeated: true });
  const send = editOf(message);
  const edited = await sessions.rewind(id, { before, send });
  return edited.map(() => ({ id: send.id }));
};

const sendFound = async <E extends ConversationError>(
  sending: Sending<E>,
  found: Found,
): Promise<SendResult<E>> => {
  const { sessions, id, message, options } = sending;
  const { end: ifPosition } = found;
  const decided = decide([message], found, options.regenerate);
  if (decided === undefined) return err(outdated(id, ifPosition));
  const { added, to = ifPosition } = decided;
  const stored = found.placed.at(-1)?.entryId ?? message.id;
  if (added.length === 0 && decided.to === undefined) return ok({ id: stored, repeated: true });
  const isUser = message.role === 'user';
  if (isUser && decided.to === undefined) return sendNew(sending);
  const change = { to, ifPosition };
  if (isUser && added.length > 0) {
    const send = editOf(message);
    return (await rewindOnce(sessions, id, { ...change, send })).map(() => ({ id: send.id }));
  }
  const entries = added.map((each) => entryOf(each));
  const rewound = await rewindOnce(sessions, id, { ...change, entries, wake: true });
  return rewound.map(() => ({ id: stored }));
};

const send = async <E extends ConversationError>(sending: Sending<E>): Promise<SendResult<E>> => {
  const { sessions, id, message, options, create } = sending;
  const { search } = options;
  // Read the inbox first: a message that a turn takes between the reads is then in the history.
  const waiting = await sessions.inbox(id);
  if (waiting.isErr()) {
    const isNew = create !== undefined && waiting.error.type === 'not_found';
    return isNew ? sendNew(sending) : err(waiting.error);
  }
  const own = waiting.value.findLast(
    (each) => messageOf({ ...each, position: 0 }).id === message.id,
  );
  if (own !== undefined) return replaceWaiting(sending, own);
  const found = await findBack(sessions, id, [message], search);
  if (found.isErr()) return err(found.error);
  if (!found.value.isComplete) return err(notFound(search, 'message.id'));
  return sendFound(sending, found.value);
};

const named = <E extends ConversationError>(error: E): E =>
  withPaths(error, (path) => {
    const field = path.replace(/^(?:message|send|entries\[0\])\./, '');
    if (field === 'id') return 'message.id';
    return /^(?:content|data)\b/.test(field) ? 'message.parts' : path;
  });

/**
 * Sends the message of a page to a chat, so that a turn answers it: a worker, `reply` or another
 * process. Safe to repeat: a message that was sent before changes nothing. An edited message
 * replaces its earlier version, whose answer is superseded, and is answered. A message of the
 * assistant with an approval or a tool output is answered too. Fails with `history_moved` if the
 * chat has changed since it was read, or the message is older than its stored version. Never
 * rejects.
 */
export const sendMessage = <E extends ConversationError, I extends ConversationError>(
  sessions: Conversations<E> & Inboxes<I>,
  id: string,
  message: ChatMessage,
  options: SendMessageOptions = {},
): ResultAsync<SentMessage, E | I | InvalidInput | HistoryMoved> => {
  const read = readSafely((issues) => ({
    message: issues.read('message', uiMessage, message),
    options: issues.read('options', sendOptions, options),
  }));
  const { create } = options;
  return read.asyncAndThen(({ message: given, options: how }) => {
    const sending: Sending<E | I> = { sessions, id, message: given, options: how, create };
    return new ResultAsync(send(sending)).mapErr(named);
  });
};
