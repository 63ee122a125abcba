import type { HistoryEntry } from '../../src/session/session.js';
import { jsonBytes } from './json-bytes.js';

/** Bytes of an entry's JSON around its texts. */
const FRAME_BYTES = '{"role":,"content":,"timestamp":},'.length;

/** A history that grows at one end. What goes in and what comes out are copies. */
export class HistoryLog {
  readonly #entries: HistoryEntry[] = [];
  /** For each entry, how many bytes of JSON the history has up to its end. */
  readonly #ends: number[] = [];
  /** Where the history stood after each append that its caller gave a name. */
  #positions: Map<string, number> | undefined;
  #appends = 0;

  get length(): number {
    return this.#entries.length;
  }

  /** How many times something was appended. */
  get appends(): number {
    return this.#appends;
  }

  /** Adds entries and answers where the history stands after them. */
  append(entries: readonly HistoryEntry[], operationId: string | undefined): number {
    let end = this.#ends.at(-1) ?? 0;
    for (const { role, content, timestamp } of entries) {
      end += FRAME_BYTES + jsonBytes(role) + jsonBytes(content) + jsonBytes(timestamp);
      this.#entries.push({ role, content, timestamp });
      this.#ends.push(end);
    }
    this.#appends += 1;
    if (operationId !== undefined) {
      this.#positions ??= new Map();
      this.#positions.set(operationId, this.length);
    }
    return this.length;
  }

  /** Where the history stood after the append of this name, if there was one. */
  positionAfter(operationId: string): number | undefined {
    return this.#positions?.get(operationId);
  }

  /** The entries from one position to another. */
  slice(from: number, to = this.length): HistoryEntry[] {
    return this.#entries.slice(from, to).map((entry) => ({ ...entry }));
  }

  /** Bytes of JSON from one position to another. */
  bytes(from: number, to = this.length): number {
    return this.#endOf(to) - this.#endOf(from);
  }

  #endOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0);
  }
}
