// The `Session` of the OpenAI Agents SDK over a Colloquy session: the items are entries of its history, as JSON. A history
// is append-only, so `popItem` and `clearSession` append an entry that says so. They do it on condition that the history
// still ends where they have read it: two workers never pop the same item, and nothing is cleared that was never seen.
import type { AgentInputItem, Session } from '@openai/agents';
import { type HistoryPart, type ResultAsync, type SessionError, type SessionService, unwrap } from 'colloquy';
import { nanoid } from 'nanoid';

const POP = 'session:pop';
const CLEAR = 'session:clear';

/** Entries that are read at a time. */
const PART = 200;

/** How often an append is sent that may have been lost. */
const ATTEMPTS = 3;

interface Entry {
  readonly role: string;
  readonly content: string;
}

interface Reading {
  /** Oldest first. */
  readonly items: readonly AgentInputItem[];
  /** The end of the history. */
  readonly position: number;
}

/** The role under which an item stands in the history: that of a message, or the type of anything else. */
const entryOf = (item: AgentInputItem): Entry => ({
  role: 'role' in item ? item.role : (item.type ?? 'item'),
  content: JSON.stringify(item),
});

export class EngineSession implements Session {
  readonly #sessions: SessionService;
  readonly #id: string;
  readonly #part: number;

  /** `id` is that of a session that has been started. Items must be JSON: keep files elsewhere and store their addresses. */
  constructor(sessions: SessionService, id: string, part = PART) {
    this.#sessions = sessions;
    this.#id = id;
    this.#part = part;
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return [...(await this.#read(limit)).items];
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.#append(items.map(entryOf));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    for (;;) {
      const { items, position } = await this.#read(1);
      const [last] = items;
      if (last === undefined || (await this.#append([{ role: POP, content: '' }], position))) return last;
    }
  }

  async clearSession(): Promise<void> {
    for (;;) {
      const { items, position } = await this.#read(1);
      if (items.length === 0 || (await this.#append([{ role: CLEAR, content: '' }], position))) return;
    }
  }

  /** Reads from the end back, until there are `limit` items: the cost does not grow with what lies before them. */
  async #read(limit = Number.POSITIVE_INFINITY): Promise<Reading> {
    const items: AgentInputItem[] = [];
    let popped = 0;
    let part = await unwrap(this.#sessions.history(this.#id, { last: this.#part }));
    const { position } = part;
    const reading = (): Reading => ({ items: items.toReversed(), position });
    for (;;) {
      for (const { role, content } of part.entries.toReversed()) {
        if (items.length >= limit || role === CLEAR) return reading();
        if (role === POP) popped += 1;
        else if (popped > 0) popped -= 1;
        else items.push(JSON.parse(content));
      }
      if (part.start === 0) return reading();
      part = await unwrap(this.#before(part));
    }
  }

  #before({ start }: HistoryPart): ResultAsync<HistoryPart, SessionError> {
    return this.#sessions.history(this.#id, { before: start, limit: this.#part });
  }

  /**
   * Appends, and returns false if the history does not end at `ifPosition` any more. A lost answer is no reason to stop: the
   * engine knows the operation id again, and appends nothing twice.
   */
  async #append(entries: readonly Entry[], ifPosition?: number): Promise<boolean> {
    const options = { operationId: nanoid(), ...(ifPosition === undefined ? {} : { ifPosition }) };
    for (let attempt = 1; ; attempt += 1) {
      const appended = await this.#sessions.append(this.#id, entries, options);
      if (appended.isErr() && appended.error.type === 'history_moved') return false;
      if (appended.isErr() && appended.error.type === 'store_unavailable' && attempt < ATTEMPTS) continue;
      unwrap(appended); // the SDK expects exceptions
      return true;
    }
  }
}
