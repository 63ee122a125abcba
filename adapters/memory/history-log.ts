import type { HistoryEntry } from '../../src/session/session.js';
import { jsonBytes } from './json-bytes.js';

/** Bytes of the JSON of an entry without its texts. */
const FRAME_BYTES = '{"role":,"content":,"timestamp":},'.length;

/** An append-only history. It shares no objects with its callers. */
export class HistoryLog {
  readonly #entries: HistoryEntry[] = [];
  /** For each entry, the bytes of JSON of the history up to its end. */
  readonly #ends: number[] = [];
  /** The position behind each append with an operation id. */
  #positions: Map<string, number> | undefined;
  #appends = 0;

  get length(): number {
    return this.#entries.length;
  }

  /** Number of appends. */
  get appends(): number {
    return this.#appends;
  }

  /** Adds entries, and returns the position behind them. */
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

  /** The position behind the append with this operation id, if there was one. */
  positionAfter(operationId: string): number | undefined {
    return this.#positions?.get(operationId);
  }

  /** The entries between two positions. */
  slice(from: number, to = this.length): HistoryEntry[] {
    return this.#entries.slice(from, to).map((entry) => ({ ...entry }));
  }

  /** Bytes of JSON between two positions. */
  bytes(from: number, to = this.length): number {
    return this.#endOf(to) - this.#endOf(from);
  }

  #endOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0);
  }
}
