import type { HistoryEntry } from '../session/session.js';
import type { SessionSource } from './session-source.js';

/** What an event tells of a history. */
export interface AppendTold {
  /** Where the history ended then. */
  readonly historyPosition: number;
  /** The position after which everything was superseded. */
  readonly after?: number | undefined;
}

/** What was added, and after which position if something was superseded: 0 if this is the whole history. */
export interface Added {
  readonly after?: number | undefined;
  readonly entries: readonly HistoryEntry[];
}

/** The history of a session that is followed. */
export class FollowedHistory {
  readonly #sessions: SessionSource['sessions'];
  readonly #id: string;
  #position = 0;
  /** Number of entries after the position that were shown. */
  #shown = 0;

  constructor(sessions: SessionSource['sessions'], id: string) {
    this.#sessions = sessions;
    this.#id = id;
  }

  /** Begins after the entries of a snapshot. */
  begin(entries: number): void {
    this.#position = 0;
    this.#shown = entries;
  }

  /**
   * The entries of an append that are current. None if they cannot be read: if the session was deleted, the next event says
   * so.
   */
  async added({ historyPosition, after }: AppendTold): Promise<Added> {
    if (after !== undefined) {
      this.#position = after;
      this.#shown = 0;
    }
    const entries: HistoryEntry[] = [];
    for (let hasMore = this.#position < historyPosition; hasMore; ) {
      const part = await this.#sessions.history(this.#id, { after: this.#position });
      if (part.isErr()) return part.error.type === 'route_not_found' ? this.#addedOfAll(after) : { after, entries };
      const { entries: found, position } = part.value;
      // A later event tells of what comes later, perhaps after an earlier entry than this one.
      const told = found.filter((entry) => entry.position <= historyPosition);
      entries.push(...told.slice(this.#shown));
      this.#shown = Math.max(0, this.#shown - told.length);
      hasMore = part.value.hasMore && told.length === found.length;
      this.#position = hasMore ? position : historyPosition;
    }
    return { after, entries };
  }

  /** A service need not serve parts of histories. Without their positions, entries that are left are shown again. */
  async #addedOfAll(after: number | undefined): Promise<Added> {
    const session = await this.#sessions.get(this.#id);
    const entries = session.unwrapOr(undefined)?.history.slice(this.#shown) ?? [];
    this.#shown += entries.length;
    return { after: after === undefined ? undefined : 0, entries };
  }
}
