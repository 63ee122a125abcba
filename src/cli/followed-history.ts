import type { HistoryEntry } from '../session/session.js';
import type { SessionSource } from './session-source.js';

/** The fields of an append event that tell which entries to read. */
export interface AppendEvent {
  /** The position at the end of the history after the append. */
  readonly historyPosition: number;
  /** Of a rewind: the position that the new entries follow. */
  readonly after?: number | undefined;
}

/** The added entries, and after a rewind the position that they follow: 0 if they are the whole history. */
export interface Added {
  readonly after?: number | undefined;
  readonly entries: readonly HistoryEntry[];
}

/** Reads the new entries of a session, event by event. */
export class FollowedHistory {
  readonly #sessions: SessionSource['sessions'];
  readonly #id: string;
  #position = 0;
  /** Number of entries after the position that were already returned. */
  #returned = 0;

  constructor(sessions: SessionSource['sessions'], id: string) {
    this.#sessions = sessions;
    this.#id = id;
  }

  /** Continues after the entries of a snapshot. */
  begin(entries: number): void {
    this.#position = 0;
    this.#returned = entries;
  }

  /**
   * The entries of an append that are not superseded yet. None if they cannot be read: if the session was deleted, the next
   * event says so.
   */
  async added({ historyPosition, after }: AppendEvent): Promise<Added> {
    if (after !== undefined) {
      this.#position = after;
      this.#returned = 0;
    }
    const entries: HistoryEntry[] = [];
    for (let hasMore = this.#position < historyPosition; hasMore; ) {
      const part = await this.#sessions.history(this.#id, { after: this.#position });
      if (part.isErr()) return part.error.type === 'route_not_found' ? this.#addedOfAll(after) : { after, entries };
      const { entries: found, position } = part.value;
      // What was appended later has an event of its own, which may be a rewind.
      const appended = found.filter((entry) => entry.position <= historyPosition);
      entries.push(...appended.slice(this.#returned));
      this.#returned = Math.max(0, this.#returned - appended.length);
      hasMore = part.value.hasMore && appended.length === found.length;
      this.#position = hasMore ? position : historyPosition;
    }
    return { after, entries };
  }

  /** For a service that serves no parts of histories. It tells no positions, so after a rewind all entries are returned. */
  async #addedOfAll(after: number | undefined): Promise<Added> {
    const session = await this.#sessions.get(this.#id);
    const entries = session.unwrapOr(undefined)?.history.slice(this.#returned) ?? [];
    this.#returned += entries.length;
    return { after: after === undefined ? undefined : 0, entries };
  }
}
