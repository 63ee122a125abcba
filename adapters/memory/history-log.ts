import type { EntriesOutcome, HistorySlice } from '../../src/session/history-slice.js';
import { copyJson } from '../../src/session/json.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { Guards, HistoryEffects } from '../../src/store/commit.js';
import type { Facts } from '../../src/store/judge.js';
import { isRedacted, plainEntry, redactedEntry } from '../../src/store/stored-entry.js';
import { bytesOf as bytesOfText, encodeEntry } from '../stored/json.js';
import { leading } from './ordered-index.js';

/** With a comma. */
const bytesOf = (entry: HistoryEntry): number => bytesOfText(encodeEntry(entry)) + 1;

export const copyOf = (entry: HistoryEntry): HistoryEntry => {
  const copy = plainEntry(entry);
  if (copy.data === undefined) return copy;
  return { ...copy, data: copyJson(copy.data) };
};

/**
 * A history, which shares no objects with its callers. Each entry takes the next position, and so
 * does each rewind, before its entries. So no position is used twice, and an entry keeps its
 * position when later entries are superseded.
 */
export class HistoryLog {
  readonly #incarnation: string;
  #changes = 0;
  readonly #entries: HistoryEntry[] = [];
  /** For each entry, the bytes of JSON of the history up to its end. */
  readonly #ends: number[] = [];
  readonly #positions: number[] = [];
  #operations: Map<string, NonNullable<Facts['known']>> | undefined;
  #end = 0;

  constructor(incarnation: string) {
    this.#incarnation = incarnation;
  }

  get version(): string {
    return `${this.#incarnation}.${this.#changes}`;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Returns whether anything was redacted. Superseded entries are not kept. */
  redact(positions: readonly number[]): boolean {
    let isChanged = false;
    for (const position of positions) {
      const at = this.#entriesUpTo(position) - 1;
      const entry = this.#entries[at];
      if (entry === undefined || this.#positions[at] !== position || isRedacted(entry)) continue;
      this.#entries[at] = redactedEntry(entry);
      isChanged = true;
    }
    if (isChanged) this.#changes += 1;
    return isChanged;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * Number of entries up to a position, which must not be after the end. Undefined if the position
   * is superseded: it is not the beginning, the end, that of an entry, or that of the rewind
   * directly before an entry.
   */
  entriesUpToCurrent(position: number): number | undefined {
    const count = this.#entriesUpTo(position);
    const isOfEntry = this.#positions[count - 1] === position;
    const isOfRewind = this.#positions[count] === position + 1;
    const isCurrent = position === 0 || position === this.#end || isOfEntry || isOfRewind;
    return isCurrent ? count : undefined;
  }

  append({ truncate, entries = [] }: Pick<HistoryEffects, 'truncate' | 'entries'>): void {
    if (truncate !== undefined) this.#rewind(this.#entriesUpTo(truncate));
    let end = this.#ends.at(-1) ?? 0;
    for (const entry of entries) {
      end += bytesOf(entry);
      this.#end += 1;
      this.#entries.push(copyOf(entry));
      this.#ends.push(end);
      this.#positions.push(this.#end);
    }
  }

  note({ id, digest }: NonNullable<Guards['operation']>, position: number): void {
    this.#operations ??= new Map();
    this.#operations.set(id, { digest, position });
  }

  find(operationId: string): Facts['known'] {
    return this.#operations?.get(operationId);
  }

  part(slice: HistorySlice): EntriesOutcome {
    const { after, before = this.#end, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
    const given = after ?? before;
    if (given < 0 || given > this.#end) return { outcome: 'invalid_position' };
    const number = this.#entriesUpTo(given);
    let from = after === undefined ? Math.max(0, number - limit) : number;
    let to = after === undefined ? number : Math.min(number + limit, this.length);
    while (to > from + 1 && this.bytes(from, to) > maxBytes) {
      if (after === undefined) from += 1;
      else to -= 1;
    }
    const hasMore = to < this.length;
    const last = hasMore ? this.#positions[to - 1] : undefined;
    return {
      outcome: 'found',
      // Not copied again: on Node 20, that takes as long as the first copy.
      entries: this.slice(from, to).map((entry, at) =>
        Object.assign(entry, { position: this.#positions[from + at] ?? 0 }),
      ),
      start: after ?? this.#positions[from - 1] ?? 0,
      position: after === undefined ? before : (last ?? this.#end),
      hasMore,
      isSuperseded: this.entriesUpToCurrent(given) === undefined,
      version: this.version,
    };
  }

  slice(from: number, to = this.length): HistoryEntry[] {
    return this.#entries.slice(from, to).map(copyOf);
  }

  /** Bytes of JSON of the entries from one index to another. */
  bytes(from: number, to = this.length): number {
    return (this.#ends[to - 1] ?? 0) - (this.#ends[from - 1] ?? 0);
  }

  #entriesUpTo(position: number): number {
    return leading(this.#positions, (each) => each <= position);
  }

  #rewind(kept: number): void {
    this.#entries.length = kept;
    this.#ends.length = kept;
    this.#positions.length = kept;
    this.#end += 1;
    this.#changes += 1;
  }
}
