import { err, ok, Result, ResultAsync } from 'neverthrow';
import { type InvalidInput, invalidInput } from '../../src/session/errors.js';
import type { JsonValue } from '../../src/session/session.js';
import { appendOnce, type ConversationError, type Conversations } from '../sdk/append-once.js';
import { canonical } from '../sdk/canonical.js';
import { type ChatMessage, entryOf, isMessage, type Message } from './chat-message.js';
import { findBack, type PlacedMessages } from './find-back.js';

/** How to save messages. */
export interface SaveOptions {
  /** Supersedes what followed the last of the messages, which is the old answer to it. Default: false. */
  readonly regenerate?: boolean;
  /** The token of a lease: without the lease, nothing is saved, and the error is `lease_lost`. Default: no check. */
  readonly fencingToken?: number;
  /** How many of the latest messages are searched for the ids. A message further back counts as new. Default: 1000. */
  readonly search?: number;
}

/** The messages as a page gets them: as JSON. A tool may have returned a `Date`. Of messages with one id, the last counts. */
const parseMessages = (messages: readonly ChatMessage[]): Result<readonly Message[], InvalidInput> => {
  const read = Result.fromThrowable((): JsonValue[] => JSON.parse(JSON.stringify(messages)))();
  return read.isOk() && Array.isArray(read.value) && read.value.every(isMessage)
    ? ok([...new Map(read.value.map((message) => [message.id, message])).values()])
    : err(invalidInput([{ path: 'messages', message: 'must be an array of UIMessage that can be written as JSON' }]));
};

/** What to append, and after which position if something is superseded. */
const decide = (messages: readonly Message[], placed: PlacedMessages, regenerate: boolean) => {
  const known = new Map(placed.map((each) => [each.message.id, each]));
  const cuts = messages.flatMap((message) => {
    const there = known.get(message.id);
    if (there === undefined) return [];
    if (canonical(there.message) !== canonical(message)) return [there.start];
    return regenerate && message === messages.at(-1) ? [there.position] : [];
  });
  const after = Math.min(...cuts);
  // A new one has no position.
  const entries = messages.filter(({ id }) => !((known.get(id)?.position ?? Number.NaN) <= after)).map(entryOf);
  return { entries, ...(placed.some(({ position }) => position > after) && { after }) };
};

/**
 * Saves messages by their ids, all of them in one step. A message that is stored already is left alone, so the call can be
 * repeated. A stored one that has changed takes its own place, and what followed it is superseded; a new one goes to the
 * end. `position` is where the chat ends then. Never rejects.
 */
export const saveMessages = <E extends ConversationError>(
  sessions: Conversations<E>,
  id: string,
  messages: readonly ChatMessage[],
  { regenerate = false, search, ...fenced }: SaveOptions = {},
): ResultAsync<{ readonly position: number }, E | InvalidInput> => {
  const save = async (wanted: readonly Message[]): Promise<Result<{ readonly position: number }, E>> => {
    for (;;) {
      const latest = await findBack(sessions, id, wanted[0]?.id, search);
      if (latest.isErr()) return err(latest.error);
      const { placed, end: ifPosition } = latest.value;
      const { entries, ...rewind } = decide(wanted, placed, regenerate);
      if (entries.length === 0 && rewind.after === undefined) return ok({ position: ifPosition });
      const saved = await appendOnce(sessions, id, entries, { ...fenced, ...rewind, ifPosition });
      // Another caller was first: what is to be done depends on what it has done.
      if (saved.isErr() && saved.error.type === 'history_moved') continue;
      return saved.map(({ position }) => ({ position }));
    }
  };
  return parseMessages(messages).asyncAndThen((wanted) => new ResultAsync(save(wanted)));
};
