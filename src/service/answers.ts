import { err, ok, type Result } from 'neverthrow';
import { openWakes, type Wakes } from '../events/wakes.js';
import { messageId } from '../input/message-input.js';
import { type ParsedAnswerOptions, parseAnswerOptions } from '../input/turn-options.js';
import { inputOf } from '../schema/read-input.js';
import {
  type NotAnswered,
  notAnswered,
  notFound,
  superseded,
  withdrawn,
} from '../session/errors.js';
import { HISTORY_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PositionedEntry } from '../session/session.js';
import type { WatchSignal } from '../session/session-event.js';
import type { StateRecord } from '../session/session-record.js';
import { acceptsHistoryAt, stateAt } from '../session/state-at.js';
import type { SessionKey } from '../store/session-store.js';
import { type Fate, fateOf } from './messages.js';
import type { Settings } from './settings.js';
import type { Reply } from './turn-results.js';

/** Options of `answer`. */
export interface AnswerOptions {
  /** Milliseconds to wait at most, 0 to 600000. Default: 60000. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait with `not_answered` when it is aborted. Default: none. */
  readonly signal?: WatchSignal | undefined;
}

const parseMessageId = inputOf('messageId', messageId);

/** Milliseconds between two reads where the store has no events. */
const POLL_MS = 250;

/** Milliseconds between two reads although nothing was heard: an event may have been lost. */
const LOOK_MS = 5000;

/** Waits until something may have happened to a session. */
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

  /** To be called before the read whose result it waits to change. */
  async open(): Promise<void> {
    if (this.#settings.hub === undefined || this.#wakes !== undefined) return;
    const { tenant, id: sessionId } = this.#key;
    const opened = await openWakes(this.#settings, { tenant, sessionId }, this.#signal);
    this.#wakes = opened.unwrapOr(undefined);
  }

  /** Waits for a change since the last call, for at most so many milliseconds. */
  async next(ms: number): Promise<void> {
    const wakes = this.#wakes;
    if (wakes === undefined || wakes.isClosed || wakes.error !== undefined) {
      await new Promise<void>((resolve) => {
        this.#settings.after(Math.min(ms, POLL_MS), resolve);
      });
      return;
    }
    if (!wakes.take()) await wakes.pause(Math.min(ms, LOOK_MS));
    wakes.take();
  }

  /** Calls a function after each change, until the function that is returned is called. */
  listen(heard: () => void): () => void {
    let isOver = false;
    const loop = async (): Promise<void> => {
      const wakes = this.#wakes;
      while (wakes !== undefined && !isOver && !wakes.isClosed && wakes.error === undefined) {
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

const textOf = (entries: readonly PositionedEntry[]): string =>
  entries.findLast(({ role }) => role === 'assistant')?.content ?? '';

/** What answers the message of a turn: what the turn has said after it. */
const entriesAfter = async (
  { store }: Settings,
  key: SessionKey,
  { position, turn }: Fate,
): Promise<Result<readonly PositionedEntry[], OperationErrors['answer']>> => {
  const part = await store.entries(key, { after: position, limit: HISTORY_LIMIT });
  if (part.isErr()) return err(part.error);
  if (part.value.outcome !== 'found') return err(notFound(key.id));
  const { entries } = part.value;
  return ok(entries.filter((entry) => entry.turn === turn && entry.message === undefined));
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
      return err(notFound(id));
    case 'withdrawn':
      return err(withdrawn(id, name));
    case 'superseded':
      return err(superseded(id, name));
    case 'answered': {
      const entries = await entriesAfter(settings, key, found.value);
      return entries.map((said) => ({ content: textOf(said), entries: said, ran: false }));
    }
    default:
      return ok(undefined);
  }
};

/** Why nobody can answer a message any more; undefined if somebody can. */
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

/** Waits for the answer to a message, until a time of the clock. */
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
  const changes = new Changes(settings, key, read.value.signal);
  try {
    return await answerBy(settings, key, name.value, changes, read.value);
  } finally {
    changes.close();
  }
};

const answerBy = async (
  settings: Settings,
  key: SessionKey,
  name: string,
  changes: Changes,
  { timeoutMs, signal }: ParsedAnswerOptions,
): Promise<Result<Reply, OperationErrors['answer']>> => {
  const begun = settings.now();
  if (begun.isErr()) return err(begun.error);
  for (let isFirst = true; ; isFirst = false) {
    await changes.open();
    const answer = await answerIn(settings, key, name);
    if (answer.isErr()) return err(answer.error);
    if (answer.value !== undefined)
      return ok(isFirst ? { ...answer.value, repeated: true } : answer.value);
    const state = await settings.store.findState(key);
    if (state.isErr()) return err(state.error);
    if (state.value === undefined) return err(notFound(key.id));
    const time = settings.now();
    if (time.isErr()) return err(time.error);
    const over = unanswerable(state.value, time.value, key, name);
    if (over !== undefined) return err(over);
    const left = begun.value + timeoutMs - time.value;
    if (left <= 0) return err(notAnswered(key.id, name, `within ${timeoutMs} ms`));
    if (signal?.aborted) return err(notAnswered(key.id, name, 'the wait was aborted'));
    await changes.next(left);
  }
};
