// The `Session` of the OpenAI Agents SDK over a Colloquy session: the items are entries of its history, as JSON. `popItem`
// rewinds it by an entry, on condition that the history still ends where it was read: two workers never pop the same item.
import type { AgentInputItem, Session } from '@openai/agents';
import { type AppendOptions, type SessionService, unwrap } from 'colloquy';
import { nanoid } from 'nanoid';

/** Entries that are read at a time. */
const PART = 200;

/** How often an append is sent that may have been lost. */
const ATTEMPTS = 3;

interface Entry {
  readonly role: string;
  readonly content: string;
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

  /** Reads from the end back, until there are `limit` items: the cost does not grow with what lies before them. */
  async getItems(limit = Number.POSITIVE_INFINITY): Promise<AgentInputItem[]> {
    const items: AgentInputItem[] = [];
    if (limit <= 0) return items;
    let part = await unwrap(this.#sessions.history(this.#id, { last: Math.min(limit, this.#part) }));
    for (;;) {
      items.unshift(...part.entries.map(({ content }) => JSON.parse(content)));
      const left = limit - items.length;
      if (part.start === 0 || left <= 0) return items;
      const slice = { before: part.start, limit: Math.min(left, this.#part) };
      part = await unwrap(this.#sessions.history(this.#id, slice));
    }
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.#append(items.map(entryOf));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    for (;;) {
      const { entries, start, position } = await unwrap(this.#sessions.history(this.#id, { last: 1 }));
      const [last] = entries;
      if (last === undefined) return undefined;
      if (await this.#append([], { after: start, ifPosition: position })) return JSON.parse(last.content);
    }
  }

  async clearSession(): Promise<void> {
    await this.#append([], { after: 0 });
  }

  /**
   * Appends, and returns false if the history has moved. A lost answer is no reason to stop: the engine knows the operation id
   * again, and appends nothing twice.
   */
  async #append(entries: readonly Entry[], conditions: AppendOptions = {}): Promise<boolean> {
    const options = { operationId: nanoid(), ...conditions };
    for (let attempt = 1; ; attempt += 1) {
      const appended = await this.#sessions.append(this.#id, entries, options);
      if (appended.isErr() && appended.error.type === 'history_moved') return false;
      if (appended.isErr() && appended.error.type === 'store_unavailable' && attempt < ATTEMPTS) continue;
      unwrap(appended); // the SDK expects exceptions
      return true;
    }
  }
}
