import { copyJson } from '../../src/session/json.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { Guards, HistoryEffects } from '../../src/store/commit.js';
import type { Facts } from '../../src/store/judge.js';
import { isRedacted, plainEntry, redactedEntry } from '../../src/store/stored-entry.js';
import { bytesOf as bytesOfText, encodeEntry } from '../stored/json.js';
import { entriesUpTo, type HistoryPositions } from './history-positions.js';

/** Bytes of the JSON of an entry with a comma. */
const bytesOf = (entry: HistoryEntry): number => bytesOfText(encodeEntry(entry)) + 1;

export const copyOf = (entry: HistoryEntry): HistoryEntry => {
  const copy = plainEntry(entry);
  if (copy.data === undefined) return copy;
  return { ...copy, data: copyJson(copy.data) };
};

/** A history. It shares no objects with its callers. */
export class HistoryLog {
  readonly #incarnation: string;
  /** Number of rewinds and redactions. */
  #changes = 0;
  readonly #entries: HistoryEntry[] = [];
  /** For each entry, the bytes of JSON of the history up to its end. */
  readonly #ends: number[] = [];
  /** For each entry, its position. */
  readonly #positions: number[] = [];
  /** Each change with an operation id. */
  #operations: Map<string, NonNullable<Facts['known']>> | undefined;
  #end = 0;

  /** The incarnation is that of the session. */
  constructor(incarnation: string) {
    this.#incarnation = incarnation;
  }

  /** As in the answer of `findEntries`. */
  get version(): string {
    return `${this.#incarnation}.${this.#changes}`;
  }

  get length(): number {
    return this.#entries.length;
  }

  /**
   * Redacts entries. Returns whether anything was redacted. Superseded entries are not kept, so
   * they need no redaction.
   */
  redact(positions: readonly number[]): boolean {
    let isChanged = false;
    for (const position of positions) {
      const at = entriesUpTo(this.positions, position) - 1;
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

  get positions(): HistoryPositions {
    return {
      entries: this.#entries.length,
      end: this.#end,
      positionOf: (number) => this.#positions[number - 1] ?? 0,
    };
  }

  /** Adds entries, after `truncate` if that is given. */
  append({ truncate, entries = [] }: Pick<HistoryEffects, 'truncate' | 'entries'>): void {
    if (truncate !== undefined) this.#rewind(entriesUpTo(this.positions, truncate));
    let end = this.#ends.at(-1) ?? 0;
    for (const entry of entries) {
      end += bytesOf(entry);
      this.#end += 1;
      this.#entries.push(copyOf(entry));
      this.#ends.push(end);
      this.#positions.push(this.#end);
    }
  }

  /** Remembers a change by its operation id, and the position that it was answered with. */
  note({ id, digest }: NonNullable<Guards['operation']>, position: number): void {
    this.#operations ??= new Map();
    this.#operations.set(id, { digest, position });
  }

  /** The change with this operation id, if there was one. */
  find(operationId: string): Facts['known'] {
    return this.#operations?.get(operationId);
  }

  /** The entries after a number of entries, up to another. */
  slice(from: number, to = this.length): HistoryEntry[] {
    return this.#entries.slice(from, to).map(copyOf);
  }

  /** Bytes of JSON of the entries after a number of entries, up to another. */
  bytes(from: number, to = this.length): number {
    return (this.#ends[to - 1] ?? 0) - (this.#ends[from - 1] ?? 0);
  }

  #rewind(kept: number): void {
    this.#entries.length = kept;
    this.#ends.length = kept;
    this.#positions.length = kept;
    this.#end += 1;
    this.#changes += 1;
  }
}
