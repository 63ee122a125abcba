import type { KnownAppend } from '../../src/session/decide-append.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { HistoryAppend } from '../../src/store/session-store.js';
import { bytesOf as bytesOfText, plainEntry } from '../../src/store/stored-json.js';
import { jsonBytes } from './json-bytes.js';

/** Bytes of the JSON of an entry without its texts. */
const FRAME_BYTES = '{"role":,"content":,"timestamp":},'.length;
const ID_BYTES = ',"id":'.length;
const DATA_BYTES = ',"data":'.length;

const bytesOf = ({ role, content, timestamp, id, data }: HistoryEntry): number => {
  const bytes = FRAME_BYTES + jsonBytes(role) + jsonBytes(content) + jsonBytes(timestamp);
  const idBytes = id === undefined ? 0 : ID_BYTES + jsonBytes(id);
  return bytes + idBytes + (data === undefined ? 0 : DATA_BYTES + bytesOfText(JSON.stringify(data)));
};

const copyOf = (entry: HistoryEntry): HistoryEntry => {
  const copy = plainEntry(entry);
  return copy.data === undefined ? copy : { ...copy, data: structuredClone(copy.data) };
};

/** An append-only history. It shares no objects with its callers. */
export class HistoryLog {
  readonly #entries: HistoryEntry[] = [];
  /** For each entry, the bytes of JSON of the history up to its end. */
  readonly #ends: number[] = [];
  /** Each append with an operation id. */
  #operations: Map<string, KnownAppend> | undefined;
  #appends = 0;

  get length(): number {
    return this.#entries.length;
  }

  /** Number of appends. */
  get appends(): number {
    return this.#appends;
  }

  /** Adds entries, and returns the position behind them. */
  append(entries: readonly HistoryEntry[], operation: HistoryAppend['operation']): number {
    let end = this.#ends.at(-1) ?? 0;
    for (const entry of entries) {
      end += bytesOf(entry);
      this.#entries.push(copyOf(entry));
      this.#ends.push(end);
    }
    this.#appends += 1;
    if (operation !== undefined) {
      this.#operations ??= new Map();
      this.#operations.set(operation.id, { digest: operation.digest, position: this.length });
    }
    return this.length;
  }

  /** The append with this operation id, if there was one. */
  find(operationId: string): KnownAppend | undefined {
    return this.#operations?.get(operationId);
  }

  /** The entries between two positions. */
  slice(from: number, to = this.length): HistoryEntry[] {
    return this.#entries.slice(from, to).map(copyOf);
  }

  /** Bytes of JSON between two positions. */
  bytes(from: number, to = this.length): number {
    return this.#endOf(to) - this.#endOf(from);
  }

  #endOf(position: number): number {
    return position === 0 ? 0 : (this.#ends[position - 1] ?? 0);
  }
}
