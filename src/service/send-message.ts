import { err, ok, type Result } from 'neverthrow';
import { entryAt, type GivenEntry } from '../input/entries-input.js';
import { parseMessage, parseSendOptions } from '../input/message-input.js';
import { planSend } from '../plan/send.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import {
  type InvalidInput,
  inboxFull,
  invalidTransition,
  type Misconfigured,
  type NotFound,
  notFound,
  operationMismatch,
  type StoreError,
  withPaths,
} from '../session/errors.js';
import type { Fields } from '../session/fields.js';
import { nextId } from '../session/ids.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { JsonValue } from '../session/session.js';
import { stateAt } from '../session/time-limits.js';
import { openTurn } from '../session/turn-state.js';
import type { MessageToStore, Refusal, SessionKey } from '../store/session-store.js';
import { fitEntries } from './fit-input.js';
import { type GetOrCreateInput, getOrCreate } from './get-or-create.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';
import type { MessageState, Sent } from './turn-results.js';
import { readState } from './update-state.js';

/**
 * A message to send. A string is a message with this content.
 *
 * @example
 * ```ts
 * await sessions.orThrow.send(id, { id: 'm-1', content: 'And a tunnel.', role: 'user' });
 * ```
 */
export interface NewMessage {
  /**
   * An id of your own, 1 to 256 characters without control characters, for example the id on a chat
   * platform. It makes the call safe to repeat. Default: a random id.
   */
  readonly id?: string | undefined;
  /** 1 to 64 characters. Default: `user`. */
  readonly role?: string | undefined;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /**
   * Data in addition to the text: any JSON value. Its JSON counts towards `limits.contentBytes`.
   */
  readonly data?: JsonValue | undefined;
  /** When it was said: RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date | undefined;
}

/** The options of a session to create if there is none; `true` for none. */
export type CreateIfMissing = true | Omit<GetOrCreateInput, 'id'>;

/**
 * Options of `send`.
 *
 * @example
 * ```ts
 * const create = { face: 'ada', profile: 'tutor', labels: { user: 'u-1' } };
 * const { state } = await sessions.orThrow.send('chat-7', 'And a tunnel.', { create });
 * console.log(state); // waiting
 * ```
 */
export interface SendOptions {
  /** Create and start the session if there is none. Default: fail with `not_found`. */
  readonly create?: CreateIfMissing | undefined;
}

export interface GivenMessage extends GivenEntry {
  readonly id: string;
  /**
   * Computed from the message as it was given, because a schema of the host may have random
   * defaults.
   */
  readonly digest: string;
}

/** A checked message as the host's schemas return it, with a random id if it has none. */
export const prepared = async (
  settings: Settings,
  path: string,
  given: GivenEntry,
): Promise<Result<GivenMessage, InvalidInput | Misconfigured>> => {
  const { role, content, data, timestamp } = given;
  const id = given.id === undefined ? nextId(settings.ids) : ok<string, Misconfigured>(given.id);
  if (id.isErr()) return err(id.error);
  const digest = digestOf(JSON.stringify([role, content, data, timestamp]));
  const fitted = await fitEntries(settings, path, [given], 'entries[0]');
  return fitted.map(([entry = given]) => ({ ...entry, id: id.value, digest }));
};

export const readMessage = async (
  settings: Settings,
  message: unknown,
): Promise<Result<GivenMessage, InvalidInput | Misconfigured>> => {
  const read = parseMessage(message, settings.policy);
  return read.isErr() ? err(read.error) : prepared(settings, 'message', read.value);
};

export const storedMessage = (given: GivenMessage, now: number): MessageToStore => {
  const { id, digest } = given;
  return { entry: { ...entryAt(timestampOf(now), given), id, message: true }, digest };
};

export const sendRefused = (
  { policy: { limits } }: Settings,
  { id }: SessionKey,
  refusal: Refusal,
  now: number,
): OperationErrors['send'] => {
  switch (refusal.guard) {
    case 'present':
      return notFound(id);
    case 'message':
      return operationMismatch(id);
    case 'inbox':
      return inboxFull(id, limits.inboxMessages);
    case 'open':
      return invalidTransition(stateAt(refusal.state, now).status, 'send');
    default:
      throw contractBroken('change', refusal);
  }
};

export interface Fate {
  readonly state: MessageState;
  /** The position of a message that was taken, and its turn. */
  readonly position: number;
  readonly turn: number;
}

const fate = (state: MessageState, position = 0, turn = 0): Fate => ({ state, position, turn });

export const fateOf = async (
  settings: Settings,
  key: SessionKey,
  id: string,
): Promise<Result<Fate | undefined, NotFound | StoreError>> => {
  const { store } = settings;
  const found = await store.messages(key, [id]);
  if (found.isErr()) return err(found.error);
  const [message] = found.value;
  if (message?.position === undefined)
    return ok(message && fate(message.entry === undefined ? 'withdrawn' : 'waiting'));
  const { position } = message;
  // A rewind may have taken out its entry.
  const slice = await store.entries(key, { before: position, limit: 1 });
  if (slice.isErr()) return err(slice.error);
  if (slice.value.outcome !== 'found') return ok(undefined);
  const entry = slice.value.entries.at(-1);
  if (entry?.position !== position || entry.turn === undefined) return ok(fate('superseded'));
  const { turn } = entry;
  const read = await readState(settings, key);
  return read.map(({ current, now }) => {
    const isOpen = openTurn(current, now)?.number === turn;
    return fate(isOpen ? 'taken' : 'answered', position, turn);
  });
};

/** Returns whether it has created the session. */
export const createIfMissing = async (
  settings: Settings,
  { id }: SessionKey,
  create: true | Fields | undefined,
): Promise<Result<boolean, OperationErrors['send']>> => {
  if (create === undefined) return ok(false);
  const input = { ...(create === true ? {} : create), id };
  const created = await getOrCreate(settings, input, {});
  return created
    .map(() => true)
    .mapErr((error) =>
      error.type === 'invalid_input' ? withPaths(error, (path) => `create.${path}`) : error,
    );
};

export const sendGiven = async (
  settings: Settings,
  key: SessionKey,
  given: GivenMessage,
): Promise<Result<Sent, OperationErrors['send']>> => {
  const { store, revision, policy } = settings;
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const now = time.value;
  const { id } = given;
  const changed = await store.change(
    planSend(key, {
      message: storedMessage(given, now),
      now,
      maxMessages: policy.limits.inboxMessages,
      revision: revision(),
    }),
  );
  if (changed.isErr()) return err(changed.error);
  if (changed.value.outcome === 'refused')
    return err(sendRefused(settings, key, changed.value, now));
  if (changed.value.outcome === 'made') return ok({ id, state: 'waiting' });
  const found = await fateOf(settings, key, id);
  return found.map((known) => ({ id, state: known?.state ?? 'waiting', repeated: true }));
};

export const sendMessage = async (
  settings: Settings,
  key: SessionKey,
  message: unknown,
  options: unknown,
): Promise<Result<Sent, OperationErrors['send']>> => {
  const read = parseSendOptions(options);
  if (read.isErr()) return err(read.error);
  const { create } = read.value;
  const given = await readMessage(settings, message);
  if (given.isErr()) return err(given.error);
  const sent = await sendGiven(settings, key, given.value);
  if (sent.isOk() || sent.error.type !== 'not_found') return sent;
  const created = await createIfMissing(settings, key, create);
  if (created.isErr()) return err(created.error);
  return created.value ? sendGiven(settings, key, given.value) : sent;
};
