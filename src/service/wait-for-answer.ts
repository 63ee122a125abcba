import { err, ok, type Result } from 'neverthrow';
import { openWakes, type Wakes } from '../events/wakes.js';
import { messageId } from '../input/message-input.js';
import { type ParsedAnswerOptions, parseAnswerOptions } from '../input/turn-options.js';
import { inputOf } from '../schema/read-input.js';
import {
  type Misconfigured,
  type NotAnswered,
  notAnswered,
  notFound,
  pageTooLarge,
  superseded,
  withdrawn,
} from '../session/errors.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { WatchSignal } from '../session/session-event.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt } from '../session/time-limits.js';
import type { SessionKey } from '../store/session-store.js';
import { type Fate, fateOf } from './send-message.js';
import type { Settings } from './settings.js';
import { entriesOfTurn } from './turn-entries.js';
import type { Reply } from './turn-results.js';
import { readState } from './update-state.js';

/** Options of `answer`. */
export interface AnswerOptions {
  /** Milliseconds to wait at most, 0 to 600000. Default: 60000. */
  readonly timeoutMs?: number | undefined;
  /** End the wait with `not_answered` when it is aborted. Default: none. */
  readonly signal?: WatchSignal | undefined;
}

const parseMessageId = inputOf('messageId', messageId);

/** Milliseconds between two reads if the store has no events. */
const POLL_MS = 250;

/** Milliseconds between two reads without an event, because an event may have been lost. */
const LOOK_MS = 5000;

export class Changes {
  readonly #settings: Settings;
  readonly #key: SessionKey;
  readonly #signal: WatchSignal | undefined;
  #wakes: Wakes | undefined;

  constructor(settings: Settings, key: SessionKey, signal?: WatchSignal) {
    this.#settings = settings;
    this.#key = key;
    this.#signal = signal;
  }

  /** Call it before the read whose result is expected to change. */
  async open(): Promise<void> {
    if (this.#settings.hub === undefined || this.#wakes !== undefined) return;
    const { tenant, id: sessionId } = this.#key;
    const opened = await openWakes(this.#settings, { tenant, sessionId }, this.#signal);
    this.#wakes = opened.unwrapOr(undefined);
  }

  /** Waits up to `ms` milliseconds for a change since the last call. */
  async next(ms: number): Promise<void> {
    const wakes = this.#wakes;
    if (wakes?.isOn !== true) {
      await new Promise<void>((resolve) => {
        this.#settings.after(Math.min(ms, POLL_MS), resolve);
      });
      return;
    }
    if (!wakes.take()) await wakes.pause(Math.min(ms, LOOK_MS));
    wakes.take();
  }

  /** Calls `heard` after each change, until the returned function is called. */
  listen(heard: () => void): () => void {
    let isOver = false;
    const loop = async (): Promise<void> => {
      const wakes = this.#wakes;
      while (wakes?.isOn === true && !isOver) {
        if (!wakes.take()) await wakes.pause(LOOK_MS);
        if (!isOver) heard();
      }
    };
    loop().catch(() => undefined);
    return () => {
      isOver = true;
      this.#wakes?.wake();
    };
  }

  close(): void {
    this.#wakes?.end();
  }
}

const answerAfter = async (
  settings: Settings,
  key: SessionKey,
  { position: after, turn }: Fate,
): Promise<Result<Reply, OperationErrors['answer']>> => {
  const { pageBytes: maxBytes } = settings.policy.limits;
  const part = { turn, after, areMessages: false, maxBytes };
  const said = await entriesOfTurn(settings, key, part);
  if (said.isErr()) return err(said.error);
  if (said.value === undefined) return err(notFound(key.id));
  const { entries, bytes } = said.value;
  if (entries.length > 1 && bytes > maxBytes)
    return err(pageTooLarge(bytes, maxBytes, 'read it with history'));
  const last = entries.findLast(({ role }) => role === 'assistant');
  return ok({ content: last?.content ?? '', entries, ran: false });
};

const unknownMessage = async (
  { store }: Settings,
  key: SessionKey,
): Promise<OperationErrors['answer']> => {
  const found = await store.findState(key);
  if (found.isErr()) return found.error;
  if (found.value === undefined) return notFound(key.id);
  return notFound(key.id, 'the session has no message with this id');
};

/** The answer to a message; undefined if it may still come. */
export const answerIn = async (
  settings: Settings,
  key: SessionKey,
  name: string,
): Promise<Result<Reply | undefined, OperationErrors['answer']>> => {
  const { id } = key;
  const found = await fateOf(settings, key, name);
  if (found.isErr()) return err(found.error);
  switch (found.value?.state) {
    case undefined:
      return err(await unknownMessage(settings, key));
    case 'withdrawn':
      return err(withdrawn(id, name));
    case 'superseded':
      return err(superseded(id, name));
    case 'answered':
      return answerAfter(settings, key, found.value);
    default:
      return ok(undefined);
  }
};

/** Why a message can no longer be answered; undefined if it can. */
export const unanswerable = (
  state: StateRecord,
  now: number,
  { id }: SessionKey,
  name: string,
): NotAnswered | undefined => {
  const isOver = stateAt(state, now).status === 'TERMINATED';
  if (!isOver || acceptsHistoryAt(state, now)) return undefined;
  return notAnswered(id, name, 'the session is over');
};

interface Wait<E> extends ParsedAnswerOptions {
  readonly key: SessionKey;
  /** The id of the message. */
  readonly name: string;
  /** The answer; undefined if it may still come. */
  readonly look: (changes: Changes) => Promise<Result<Reply | undefined, E>>;
}

export const untilAnswered = async <E>(
  settings: Settings,
  { key, name, timeoutMs, signal, look }: Wait<E>,
): Promise<Result<Reply, E | NotAnswered | Misconfigured>> => {
  const begun = settings.now();
  if (begun.isErr()) return err(begun.error);
  const changes = new Changes(settings, key, signal);
  try {
    for (;;) {
      await changes.open();
      const answer = await look(changes);
      if (answer.isErr()) return err(answer.error);
      if (answer.value !== undefined) return ok(answer.value);
      const time = settings.now();
      if (time.isErr()) return err(time.error);
      const left = begun.value + timeoutMs - time.value;
      if (left <= 0) return err(notAnswered(key.id, name, `within ${timeoutMs} ms`));
      if (signal?.aborted) return err(notAnswered(key.id, name, 'the wait was aborted'));
      await changes.next(left);
    }
  } finally {
    changes.close();
  }
};

export const waitForAnswer = async (
  settings: Settings,
  key: SessionKey,
  given: unknown,
  options: unknown,
): Promise<Result<Reply, OperationErrors['answer']>> => {
  const name = parseMessageId(given);
  if (name.isErr()) return err(name.error);
  const read = parseAnswerOptions(options);
  if (read.isErr()) return err(read.error);
  let isFirst = true;
  const look = async (): Promise<Result<Reply | undefined, OperationErrors['answer']>> => {
    // Read before the answer, which may be stored in the step that ends the session.
    const found = await readState(settings, key);
    if (found.isErr()) return err(found.error);
    const { current, now } = found.value;
    const answer = await answerIn(settings, key, name.value);
    if (answer.isErr()) return err(answer.error);
    if (answer.value !== undefined)
      return ok(isFirst ? { ...answer.value, repeated: true } : answer.value);
    isFirst = false;
    const over = unanswerable(current, now, key, name.value);
    return over === undefined ? ok(undefined) : err(over);
  };
  return untilAnswered(settings, { key, name: name.value, ...read.value, look });
};
