import { having } from '../../src/schema/host-values.js';
import { readArgument } from '../../src/schema/options-of.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import { unwrap } from '../../src/service/unwrap.js';
import type { Message } from '../../src/session/message.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { Conversations } from '../sdk/append-once.js';
import type { TokenUsage } from '../sdk/token-usage.js';
import { anyLimit, copiedItems, entryOf, isItemEntry, itemOf } from './item-of.js';
import { isOfUser } from './read-back.js';
import { type AgentContext, none, RunUsage, sumOf } from './run-usage.js';

/** The parts of a turn that a `TurnSession` needs. */
export interface AgentTurn {
  /** The session of the turn. */
  readonly session: { readonly id: string };
  /** The latest entries of the history. */
  readonly history: readonly PositionedEntry[];
  /** The sessions of the turn. */
  readonly sessions: Pick<Conversations, 'history'>;
  /** Stores the entries so far, and takes the messages that were sent since. */
  readonly take: (options: {
    readonly after: readonly NewHistoryEntry[];
  }) => Promise<readonly Message[]>;
}

const someTurn = having('must be the argument of run', 'take');

const isStored = (): Error =>
  new Error('a turn removes no stored items: use an EngineSession over the sessions of the turn');

/**
 * The `Session` of the OpenAI Agents SDK (`@openai/agents`) for a turn of a worker or of `reply`.
 * It stores nothing itself: return its `entries` from `run`, which stores them in the same step as
 * the end of the turn. As the SDK expects, the methods reject.
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: async (turn) => {
 *     const session = new TurnSession<AgentInputItem>(turn);
 *     await run(agent, [], { session, signal: turn.signal });
 *     return session.entries;
 *   },
 * });
 * ```
 */
export class TurnSession<Item extends object = object> {
  /** Asks the SDK for the context of the run. */
  readonly acceptsRunContext = true;
  readonly #turn: AgentTurn;
  readonly #runs = new RunUsage();
  #usage = none;
  #history: Promise<readonly NewHistoryEntry[]> | undefined;
  #entries: readonly NewHistoryEntry[] = [];

  /** `turn` is the argument of `run`. Throws a `TypeError` if it is not. */
  constructor(turn: AgentTurn) {
    readArgument('TurnSession', 'turn', someTurn, turn);
    this.#turn = turn;
  }

  /** The entries of the items that were added and are not stored yet. */
  get entries(): readonly NewHistoryEntry[] {
    return this.#entries;
  }

  /** The tokens that runs with this session have used, for `run` to return as `usage`. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** The id of the session. */
  async getSessionId(): Promise<string> {
    return this.#turn.session.id;
  }

  /**
   * The items of the turn's history, then those that were added. If the history is longer than the
   * turn's `historyLimit`, they begin with a message of the user, so that no result of a tool is
   * without its call. `limit` returns only the latest items.
   */
  async getItems(limit?: number, context?: AgentContext): Promise<Item[]> {
    readArgument('TurnSession', 'limit', anyLimit, limit);
    this.#runs.begin(context);
    const entries = [...(await this.#stored()), ...this.#entries].filter(isItemEntry);
    const items = entries.map((entry) => itemOf<Item>(entry));
    if (limit === undefined) return items;
    return limit > 0 ? items.slice(-limit) : [];
  }

  /** Adds items. Rejects with a `TypeError` if one is not JSON. */
  async addItems(items: Item[], context?: AgentContext): Promise<void> {
    const given = readArgument('TurnSession', 'items', copiedItems, items);
    const { used, count } = this.#runs.next(context);
    this.#usage = sumOf(this.#usage, used);
    count();
    this.#entries = [...this.#entries, ...given.map((item) => entryOf(item))];
  }

  /** Removes and returns the last item that was added. Rejects if the last item is stored. */
  async popItem(): Promise<Item | undefined> {
    const last = this.#entries.at(-1);
    if (last === undefined && (await this.#stored()).length > 0) throw isStored();
    this.#entries = this.#entries.slice(0, -1);
    return last && itemOf<Item>(last);
  }

  /** Removes the items that were added. Rejects if there are stored items. */
  async clearSession(): Promise<void> {
    if ((await this.#stored()).length > 0) throw isStored();
    this.#entries = [];
  }

  /**
   * Stores `entries`, then takes the messages that were sent since, in one step: the next run of
   * the turn reads them. Rejects with a `SessionFailure`.
   */
  async take(): Promise<readonly Message[]> {
    const stored = await this.#stored();
    const messages = await this.#turn.take({ after: this.#entries });
    this.#history = Promise.resolve([...stored, ...this.#entries, ...messages]);
    this.#entries = [];
    return messages;
  }

  #stored(): Promise<readonly NewHistoryEntry[]> {
    this.#history ??= this.#fromUser();
    return this.#history;
  }

  async #fromUser(): Promise<readonly NewHistoryEntry[]> {
    const { session, history, sessions } = this.#turn;
    const from = history.findIndex(isOfUser);
    const [first] = history;
    if (first === undefined || from <= 0) return history;
    const before = { before: first.position, limit: 2 };
    const { entries } = await unwrap(sessions.history(session.id, before));
    return entries.length > 1 ? history.slice(from) : history;
  }
}
