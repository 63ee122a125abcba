import type { HistoryEntry } from '../session/session.js';
import type { SessionSource } from './session-source.js';

/** The history of a session that is followed. */
export class FollowedHistory {
  readonly #sessions: SessionSource['sessions'];
  readonly #id: string;
  #position = 0;
  /** Number of entries behind the position that were shown. */
  #shown = 0;

  constructor(sessions: SessionSource['sessions'], id: string) {
    this.#sessions = sessions;
    this.#id = id;
  }

  /** Begins behind the entries of a snapshot. */
  begin(entries: number): void {
    this.#position = 0;
    this.#shown = entries;
  }

  /** The entries that were added. None if they cannot be read: if the session was deleted, the next event says so. */
  async added(): Promise<readonly HistoryEntry[]> {
    const added: HistoryEntry[] = [];
    for (let hasMore = true; hasMore; ) {
      const part = await this.#sessions.history(this.#id, { after: this.#position });
      if (part.isErr()) return part.error.type === 'route_not_found' ? this.#addedOfAll() : added;
      added.push(...part.value.entries.slice(this.#shown));
      this.#shown = Math.max(0, this.#shown - part.value.entries.length);
      this.#position = part.value.position;
      hasMore = part.value.hasMore;
    }
    return added;
  }

  /** A service need not serve parts of histories. */
  async #addedOfAll(): Promise<readonly HistoryEntry[]> {
    const session = await this.#sessions.get(this.#id);
    const added = session.unwrapOr(undefined)?.history.slice(this.#shown) ?? [];
    this.#shown += added.length;
    return added;
  }
}
