import type { EntriesOutcome, HistorySlice } from '../../session/history-slice.js';
import type { HistoryEntry, PositionedEntry } from '../../session/session.js';

/** An entry of the history, with the position after it. */
interface Placed {
  readonly position: number;
  readonly entry: HistoryEntry;
}

const hasContent = ({ content, id, data }: HistoryEntry): boolean =>
  content !== '' || id !== undefined || data !== undefined;

/** A history as a list of its current entries. Each entry and each rewind uses a position. */
export class ModelHistory {
  current: readonly Placed[] = [];
  end = 0;
  readonly #incarnation: string;
  #changes = 0;

  constructor(incarnation: string) {
    this.#incarnation = incarnation;
  }

  get version(): string {
    return `${this.#incarnation}.${this.#changes}`;
  }

  /** Undoes the latest change of the version if it was `version` before. */
  keepVersion(version: string): void {
    if (version !== this.version) this.#changes -= 1;
  }

  append(entries: readonly HistoryEntry[]): void {
    for (const entry of entries) {
      this.end += 1;
      this.current = [...this.current, { position: this.end, entry }];
    }
  }

  /** Number of entries that a rewind to a position keeps; undefined if it is superseded. */
  keptAfter(position = this.end): number | undefined {
    const isCurrent =
      position === 0 ||
      position === this.end ||
      this.current.some((each) => each.position === position || each.position === position + 1);
    if (!isCurrent) return undefined;
    return this.current.filter((each) => each.position <= position).length;
  }

  truncate(position: number): void {
    this.current = this.current.filter((each) => each.position <= position);
    this.end += 1;
    this.#changes += 1;
  }

  redact(positions: readonly number[]): boolean {
    const isRedacted = ({ position, entry }: Placed) =>
      positions.includes(position) && hasContent(entry);
    if (!this.current.some(isRedacted)) return false;
    this.#changes += 1;
    this.current = this.current.map((each) => {
      const { content: _c, id: _i, data: _d, ...entry } = each.entry;
      return isRedacted(each) ? { ...each, entry: { ...entry, content: '' } } : each;
    });
    return true;
  }

  slice({ after, before = this.end, limit }: HistorySlice): EntriesOutcome {
    const given = after ?? before;
    if (given > this.end) return { outcome: 'invalid_position' };
    const from = this.current.findIndex(({ position }) => position > given);
    const earlier = from < 0 ? this.current.length : from;
    const first = after === undefined ? Math.max(0, earlier - limit) : earlier;
    const last = after === undefined ? earlier : Math.min(this.current.length, first + limit);
    const entries = this.current
      .slice(first, last)
      .map(({ entry, position }): PositionedEntry => ({ ...entry, position }));
    const hasMore = last < this.current.length;
    const lastPosition = hasMore ? (this.current[last - 1]?.position ?? 0) : this.end;
    return {
      outcome: 'found',
      entries,
      start: after ?? this.current[first - 1]?.position ?? 0,
      position: after === undefined ? before : lastPosition,
      hasMore,
      isSuperseded: this.keptAfter(given) === undefined,
      version: this.version,
    };
  }
}
