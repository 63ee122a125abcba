import type { Result } from 'neverthrow';
import { commandFields } from '../../src/input/command-inputs.js';
import { callback } from '../../src/schema/host-values.js';
import { optionsOf, readArgument } from '../../src/schema/options-of.js';
import { checked, optional, typed } from '../../src/schema/schema.js';
import { anyText, name, whole } from '../../src/schema/values.js';
import type { AppendOptions } from '../../src/service/append-history.js';
import type { OperationOptions } from '../../src/service/apply-command.js';
import type { GetOrCreateInput } from '../../src/service/get-or-create.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import type { Appended } from '../../src/service/operation-results.js';
import { unwrap } from '../../src/service/unwrap.js';
import { isFields } from '../../src/session/fields.js';
import { sameJson } from '../../src/session/json.js';
import type { Counters, PositionedEntry } from '../../src/session/session.js';
import { SessionFailure } from '../../src/session/session-failure.js';
import { acceptsHistory, invalidTransition } from '../../src/session/session-status.js';
import {
  appendOnce,
  type ConversationError,
  rewindOnce,
  someSessions,
} from '../sdk/append-once.js';
import { inCallersWords, withPaths } from '../sdk/in-callers-words.js';
import type { TokenUsage } from '../sdk/token-usage.js';
import type { AgentSessions } from './agent-sessions.js';
import { type HistoryTransactionArgs, parseTransaction } from './history-transaction.js';
import { anyLimit, entryOf, givenItems, isItemEntry, itemOf } from './item-of.js';
import { type ReadEntries, readBack, readTurns } from './read-back.js';
import { type AgentContext, RunUsage } from './run-usage.js';

interface Place {
  readonly to: number;
  readonly ifPosition: number;
}

/** A condition that no history meets, to find out whether an operation id is known. */
const NOWHERE: Place = { to: 0, ifPosition: Number.MAX_SAFE_INTEGER };

/** Options of a session for one run. */
export interface EngineSessionOptions {
  /**
   * Creates and starts the session with these options if it is missing; `{}` for no options.
   * Default: calls fail with `not_found` if the session is missing.
   */
  readonly create?: Omit<GetOrCreateInput, 'id' | 'start' | 'historyLimit'> | undefined;
  /**
   * Maximum number of items that a run reads, from 1. They begin with a message of the user, so
   * that no tool result is without its call; a longer final turn is read in full. Default: all.
   */
  readonly limit?: number | undefined;
  /**
   * A name of the turn that stays the same if the run is started again, for example the id of a
   * job: 1–100 characters without control characters. Items that a run with this name has added are
   * not added again. If the new run adds different items, it rejects with `operation_mismatch`:
   * call `turnItems` before the run. Default: every run adds its items.
   */
  readonly turn?: string | undefined;
  /**
   * The fencing token of a lease. If another lease is current, writes reject with `lease_lost`.
   * Default: no check.
   */
  readonly fencingToken?: number | undefined;
  /**
   * Counts the tokens of the run in the same step as its items: returns the `usage` for the tokens
   * since the last items, for example `({ tokens }) => ({ tokens })`. The counters must be in the
   * budget of the session or in `limits.counters`; otherwise the write fails. Default: counts
   * nothing.
   */
  readonly usage?: ((used: TokenUsage) => Counters) | undefined;
}

const turnName = checked(
  name(100),
  (text) => !/\p{Cc}/u.test(text),
  'must have no control characters',
);

const read = optionsOf('EngineSession', {
  // The engine reads the fields, by the limits of its host.
  create: optional(typed(isFields, 'must be an object', {})),
  limit: optional(whole(1)),
  turn: optional(turnName),
  fencingToken: commandFields.fencingToken,
  usage: optional(callback),
} satisfies Readonly<Record<keyof EngineSessionOptions, unknown>>);

type Settings = Omit<ReturnType<typeof read>, 'create' | 'usage'> &
  Pick<EngineSessionOptions, 'create' | 'usage'>;

const entryIdOf = (operationId: string, index: number): string => `${operationId}/${index}`;

const turnOf = (id: string): string | undefined => /^(.+):\d+(?:\/\d+)?$/s.exec(id)?.[1];

/** An error that names the items of a list of the caller. The data of an entry are an item. */
const inItems =
  (list = 'items') =>
  (error: ConversationError): ConversationError =>
    inCallersWords(error, list, (index, field) => {
      const item = `${list}[${index}]`;
      return field === 'content' ? `${item}.content` : item;
    });

const inCreate = (error: ConversationError): ConversationError =>
  withPaths(error, (path) => (path === 'id' ? path : `create.${path}`));

const isError = (result: Result<unknown, ConversationError>, type: string): boolean =>
  result.isErr() && result.error.type === type;

/**
 * The `Session` of the OpenAI Agents SDK (`@openai/agents`) over a session of the engine that is
 * ACTIVE or PAUSED. Each item is an entry: its text the `content`, the rest the `data`. As the SDK
 * expects, the methods reject: with a `SessionFailure`, whose `error` is that of the engine, or
 * with an `Error` that says what cannot be stored or applied. Items must be JSON.
 */
export class EngineSession<Item extends object = object> {
  /** Asks the SDK for the context of the run. */
  readonly acceptsRunContext = true;
  readonly #sessions: AgentSessions;
  readonly #id: string;
  readonly #options: Settings;
  readonly #runs = new RunUsage();
  #writes = 0;
  #isOpen = false;
  /**
   * The end of the history that the caller knows: as it was read last, and moved by own writes that
   * followed it.
   */
  #known: number | undefined;
  /** Differs after each `clearSession` of this object. */
  #epoch = '';

  /**
   * `sessions` is a `SessionService` or a `SessionClient`. Throws a `TypeError` that names every
   * invalid or unknown option.
   */
  constructor(sessions: AgentSessions, id: string, options: EngineSessionOptions = {}) {
    readArgument('EngineSession', 'sessions', someSessions, sessions);
    this.#sessions = sessions;
    this.#id = readArgument('EngineSession', 'id', anyText, id);
    this.#options = { ...read(options), create: options.create, usage: options.usage };
  }

  /** The id of the session. */
  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /**
   * The items among the latest `limit` entries, oldest first. The cost does not grow with the items
   * before them. Default: those that the `limit` of the constructor allows. The first call of an
   * object rejects with `invalid_transition` if the session accepts no items, so that a run ends
   * before it begins.
   */
  async getItems(limit?: number, context?: AgentContext): Promise<Item[]> {
    readArgument('EngineSession', 'limit', anyLimit, limit);
    await this.#open();
    this.#runs.begin(context);
    if (limit !== undefined && !(limit > 0)) return [];
    const { entries, end } = await this.#latest(limit);
    this.#known = end;
    return entries.filter(isItemEntry).map((entry) => itemOf<Item>(entry));
  }

  #latest(limit: number | undefined): Promise<ReadEntries> {
    const { limit: most } = this.#options;
    if (limit !== undefined || most === undefined) return this.#read(limit);
    return readTurns(this.#sessions, this.#id, most);
  }

  /**
   * The items that runs with this name have added, without those that were removed since; undefined
   * if they have written nothing. Also of a session that has ended.
   */
  async turnItems(turn: string): Promise<Item[] | undefined> {
    readArgument('EngineSession', 'turn', turnName, turn);
    const probe = { ...NOWHERE, operationId: `${turn}:1` };
    const probed = await rewindOnce(this.#sessions, this.#id, probe);
    const isMissing = this.#options.create !== undefined && isError(probed, 'not_found');
    if (isMissing || isError(probed, 'history_moved') || isError(probed, 'invalid_transition'))
      return undefined;
    if (!isError(probed, 'operation_mismatch')) unwrap(probed);
    const isFirst = ({ id }: PositionedEntry): boolean => id === entryIdOf(probe.operationId, 0);
    const { entries } = await readBack(this.#sessions, this.#id, Number.POSITIVE_INFINITY, isFirst);
    return entries.filter(({ id = '' }) => turnOf(id) === turn).map((entry) => itemOf<Item>(entry));
  }

  /**
   * Appends items: all of them or none. Retries if the answer was lost; the items are added only
   * once.
   */
  async addItems(items: Item[], context?: AgentContext): Promise<void> {
    readArgument('EngineSession', 'items', givenItems, items);
    if (items.length === 0) return;
    await this.#open();
    const { used, count } = this.#runs.next(context);
    const usage = used.tokens > 0 ? this.#options.usage?.(used) : undefined;
    unwrap((await this.#add(items, { ...this.#nextOptions(), usage })).mapErr(inItems()));
    count();
  }

  /**
   * Removes and returns the last item, with the program's own entries after it. Two callers never
   * get the same item.
   */
  async popItem(): Promise<Item | undefined> {
    await this.#open();
    for (;;) {
      const { entries, start, end } = await this.#read(1);
      const [last] = entries;
      if (last === undefined) return undefined;
      const popped = await this.#rewind([], { to: start, ifPosition: end });
      if (isError(popped, 'history_moved')) continue;
      unwrap(popped);
      if (isItemEntry(last)) return itemOf<Item>(last);
    }
  }

  /**
   * Removes all items. Rejects with `history_moved` if others have added items since this object
   * has read the history: read it again first. The SDK also calls it to replace what it has read by
   * a summary. Operation ids of `applyHistoryTransaction` can then be used again with this object.
   */
  async clearSession(): Promise<void> {
    const { position } = await this.#replaceAll([]);
    this.#epoch = `\n${position}`;
  }

  /**
   * Replaces all items in one step. The SDK calls it with the result of a compaction. Rejects with
   * `history_moved` if others have added items since this object has read the history, because the
   * compaction does not contain them.
   */
  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    readArgument('EngineSession', 'items', givenItems, items);
    await this.#replaceAll(items);
  }

  /**
   * Applies a transaction once for each `operationId`, even if any process sends it again after a
   * lost answer. Rejects if the `operationId` was used for different items, or if the history does
   * not end with the expected suffix. Another object does not know that this one has cleared the
   * session: there, an `operationId` that was used before stores nothing, so use a new id.
   */
  async applyHistoryTransaction(args: HistoryTransactionArgs<Item>): Promise<void> {
    const { operationId, suffix, items } = await parseTransaction(args, this.#epoch);
    await this.#open();
    const options = { ...this.#nextOptions(), operationId };
    for (;;) {
      const isAppend = suffix === undefined && items.length > 0;
      // There is no append without entries, but a rewind to the end of the history removes nothing.
      const place = isAppend ? undefined : await this.#placeBefore(suffix ?? []);
      const applied = isAppend
        ? await this.#add(items, options)
        : await this.#rewind(items, place ?? NOWHERE, options);
      if (isError(applied, 'operation_mismatch')) {
        // The transaction was applied before: a replacement after a different position, or an empty
        // one at a different end.
        if (suffix !== undefined || items.length === 0) return;
        throw new Error('operationId was already applied with a different transaction');
      }
      if (isError(applied, 'history_moved')) {
        if (place !== undefined) continue;
        throw new Error('the suffix no longer matches the history');
      }
      const list = suffix === undefined ? 'items' : 'replacement';
      unwrap(applied.mapErr(inItems(`transaction.${list}`)));
      return;
    }
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return;
    const { create } = this.#options;
    const options = { historyLimit: 0 };
    const found =
      create === undefined
        ? this.#sessions.get(this.#id, options)
        : this.#sessions.getOrCreate({ ...create, ...options, id: this.#id }).mapErr(inCreate);
    const { status } = await unwrap(found);
    if (!acceptsHistory[status]) throw new SessionFailure(invalidTransition(status, 'append'));
    this.#isOpen = true;
  }

  #nextOptions(): OperationOptions {
    const { turn, fencingToken } = this.#options;
    this.#writes += 1;
    return {
      ...(turn !== undefined && { operationId: `${turn}:${this.#writes}` }),
      ...(fencingToken !== undefined && { fencingToken }),
    };
  }

  /**
   * Adds items wherever the history ends: first where it is known to end, so that the end stays
   * known.
   */
  async #add(
    items: readonly object[],
    options: AppendOptions,
  ): Promise<Result<Appended, ConversationError>> {
    if (this.#known === undefined) return this.#append(items, options);
    const added = await this.#append(items, { ...options, ifPosition: this.#known });
    if (isError(added, 'history_moved')) return this.#append(items, options);
    return added;
  }

  async #append(
    items: readonly object[],
    options: AppendOptions,
  ): Promise<Result<Appended, ConversationError>> {
    const appended = await appendOnce(
      this.#sessions,
      this.#id,
      this.#entries(items, options),
      options,
    );
    return appended.map((result) => this.#follow(options.ifPosition, result));
  }

  /**
   * The entries of items. Those of a turn are named after their write, by which `turnItems` finds
   * them.
   */
  #entries(
    items: readonly object[],
    { operationId = '' }: OperationOptions,
  ): readonly NewHistoryEntry[] {
    const turn = turnOf(operationId);
    const isOfTurn = turn !== undefined && turn === this.#options.turn;
    return items.map((item, index) => ({
      ...entryOf(item),
      ...(isOfTurn && { id: entryIdOf(operationId, index) }),
    }));
  }

  async #rewind(
    items: readonly object[],
    place: Place,
    options: OperationOptions = this.#nextOptions(),
  ): Promise<Result<Appended, ConversationError>> {
    const input = { ...options, ...place, entries: this.#entries(items, options) };
    const rewound = await rewindOnce(this.#sessions, this.#id, input);
    return rewound.map((result) => this.#follow(place.ifPosition, result));
  }

  /**
   * Moves the known end with a write that followed it. After any other write, the caller does not
   * know the history.
   */
  #follow(ifPosition: number | undefined, written: Appended): Appended {
    const isNext =
      ifPosition !== undefined && ifPosition === this.#known && written.repeated === undefined;
    if (isNext) this.#known = written.position;
    return written;
  }

  async #replaceAll(items: readonly object[]): Promise<Appended> {
    await this.#open();
    const ifPosition = this.#known ?? (await this.#read(0)).end;
    return unwrap((await this.#rewind(items, { to: 0, ifPosition })).mapErr(inItems()));
  }

  /**
   * Where to rewind to in place of a suffix; undefined if the history does not end with the suffix.
   */
  async #placeBefore(suffix: readonly object[]): Promise<Place | undefined> {
    const { entries, start, end } = await this.#read(suffix.length);
    const found = entries.map((entry) => itemOf(entry));
    if (!sameJson(found, suffix)) return undefined;
    return { to: start, ifPosition: end };
  }

  #read(limit = Number.POSITIVE_INFINITY): Promise<ReadEntries> {
    return readBack(this.#sessions, this.#id, limit);
  }
}
