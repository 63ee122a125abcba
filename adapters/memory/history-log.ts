import type { HistoryEntry } from '../../src/session/session.js';
import { ownedEntry } from './owned.js';

/** Up to here a history is kept in an array of just its length; a longer one grows in place, with room to spare. */
const SMALL = 32;

const empty: readonly HistoryEntry[] = Object.freeze([]);

/**
 * A history that grows at one end. Appending costs the same at any length; a snapshot is frozen, shared by its
 * readers, and made only when somebody reads after a change.
 */
export class HistoryLog {
  #snapshot: readonly HistoryEntry[] = empty;
  #grown: HistoryEntry[] | undefined;
  /** Where the history stood after each append that its caller gave a name. */
  #positions: Map<string, number> | undefined;

  get length(): number {
    return (this.#grown ?? this.#snapshot).length;
  }

  /** Adds entries and answers where the history stands after them. */
  append(entries: readonly HistoryEntry[], operationId: string | undefined): number {
    const position = this.length + entries.length;
    if (position <= SMALL) {
      // `concat` alone makes an array of just its length.
      this.#snapshot = Object.freeze(this.#snapshot.concat(entries.map(ownedEntry)));
    } else {
      this.#grown ??= [...this.#snapshot];
      for (const entry of entries) this.#grown.push(ownedEntry(entry));
    }
    if (operationId !== undefined) {
      this.#positions ??= new Map();
      this.#positions.set(operationId, position);
    }
    return position;
  }

  /** Where the history stood after the append of this name, if there was one. */
  positionAfter(operationId: string): number | undefined {
    return this.#positions?.get(operationId);
  }

  /** The entries from one position to another, in an array of the caller's own. */
  slice(from: number, to: number): readonly HistoryEntry[] {
    return (this.#grown ?? this.#snapshot).slice(from, to);
  }

  snapshot(): readonly HistoryEntry[] {
    if (this.#grown !== undefined && this.#grown.length !== this.#snapshot.length) {
      this.#snapshot = Object.freeze(this.#grown.slice());
    }
    return this.#snapshot;
  }
}
