import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../../src/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice, SessionKey } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import { failed, unreadable } from './failure.js';
import { partScript } from './journal-scripts.js';
import { decodeLines } from './journal-text.js';
import type { Keyspace } from './keys.js';

type Reply<T> = Promise<Result<T, StoreError>>;

/** Bytes that one command reads at least. */
const LEAST_BYTES = 16 * 1024;

/** Bytes that one command reads at most, unless a single entry is longer: others wait as long as it runs. */
const MOST_BYTES = 1024 * 1024;

/** A piece of a journal, and what there is to know of the whole. */
interface Part {
  readonly text: string;
  readonly from: number;
  readonly upto: number;
  readonly length: number;
  readonly entries: number;
  readonly birth: string;
  /** How long a text is in the journal, in the unit in which the server counts. */
  readonly lengthOf: (lines: string) => number;
}

const partOf = (reply: unknown): Part | undefined => {
  const [text, from, upto, length, entries, birth, isBytes]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof text !== 'string' || typeof birth !== 'string') return undefined;
  const [begin, end, whole, count] = [Number(from), Number(upto), Number(length), Number(entries)];
  const lengthOf = (lines: string): number => (Number(isBytes) === 1 ? Buffer.byteLength(lines) : lines.length);
  return { text, from: begin, upto: end, length: whole, entries: count, birth, lengthOf };
};

const isEntry = (text: string, at: number): boolean => text.charAt(at) === '{';

/** How much of a history is still wanted. */
interface Wanted {
  readonly entries: number;
  /** Fewer entries where these would have more bytes, but for one that is read before any other. */
  readonly bytes: number;
  readonly hasNone: boolean;
}

/** Lines of a journal, and whether they are all that is wanted of it. */
interface Lines {
  readonly lines: string;
  readonly isFull: boolean;
}

/** The whole lines at the beginning of a text that begins with one, and the mark behind them. */
const firstLines = ({ text }: Part, { entries, bytes, hasNone }: Wanted): Lines => {
  let count = 0;
  let length = 0;
  let at = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    length += Buffer.byteLength(text.slice(at, end + 1));
    if (isEntry(text, at)) {
      const isFirst = hasNone && count === 0;
      if (count === entries || (length > bytes && !isFirst)) return { lines: text.slice(0, at), isFull: true };
      count += 1;
    }
    at = end + 1;
  }
  return { lines: text.slice(0, at), isFull: false };
};

/** The lines at the end of a text that ends with one, from an entry on; a first line that is cut is none. */
const lastLines = ({ text, from }: Part, { entries, bytes, hasNone }: Wanted): Lines => {
  let start = text.length;
  let length = 0;
  for (let count = 0; count < entries; count += 1) {
    const before = start === 0 ? -1 : text.lastIndexOf('\n{', start - 2);
    const isWhole = before < 0 && from === 0 && start > 0 && isEntry(text, 0);
    if (before < 0 && !isWhole) return { lines: text.slice(start), isFull: false };
    length += Buffer.byteLength(text.slice(before + 1, start));
    if (length > bytes && !(hasNone && count === 0)) return { lines: text.slice(start), isFull: true };
    start = before + 1;
  }
  return { lines: text.slice(start), isFull: true };
};

/**
 * Reads parts of histories, piece by piece: lines are cut out here, for the server knows neither entries nor characters.
 * A history may be found to be removed between two pieces: then it was missing for a moment, even if another session has
 * its id by now.
 */
export class HistoryReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  read(key: SessionKey, slice: HistorySlice): Reply<EntriesOutcome> {
    const { maxBytes = Number.POSITIVE_INFINITY } = slice;
    return 'last' in slice
      ? this.#readLast(key, slice.last, maxBytes)
      : this.#readAfter(key, slice.after, slice.limit, maxBytes);
  }

  async #readAfter(key: SessionKey, after: number, limit: number, maxBytes: number): Reply<EntriesOutcome> {
    const call = this.#connection.begin();
    const entries: HistoryEntry[] = [];
    let position = after;
    let birth: string | undefined;
    for (let least = LEAST_BYTES; ; ) {
      const part = await this.#part(call, key, [String(position), ''], limit - entries.length, least, maxBytes);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: birth === undefined ? part.value : 'missing' });
      const { upto, length, lengthOf } = part.value;
      birth ??= part.value.birth;
      if (birth !== part.value.birth) return ok({ outcome: 'missing' });
      const { lines, isFull } = firstLines(part.value, {
        entries: limit - entries.length,
        bytes: maxBytes - (position - after),
        hasNone: entries.length === 0,
      });
      const span = lengthOf(lines);
      const decoded = decodeLines(lines);
      if (decoded === undefined) return err(unreadable(key));
      entries.push(...decoded.entries);
      position += span;
      const hasMore = position < length;
      if (isFull || !hasMore) return ok({ outcome: 'found', entries, position, hasMore });
      if (lines === '' && upto === length) return err(unreadable(key));
      least = lines === '' ? 4 * least : LEAST_BYTES;
    }
  }

  async #readLast(key: SessionKey, last: number, maxBytes: number): Reply<EntriesOutcome> {
    const call = this.#connection.begin();
    const parts: (readonly HistoryEntry[])[] = [];
    let count = 0;
    let upto = '';
    /** The first piece, which says where the history ended, and how many entries it had. */
    let first: Part | undefined;
    for (let least = LEAST_BYTES; ; ) {
      const part = await this.#part(call, key, ['', upto], last - count, least, maxBytes);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: 'missing' });
      first ??= part.value;
      if (first.birth !== part.value.birth) return ok({ outcome: 'missing' });
      const { lines, isFull } = lastLines(part.value, {
        entries: last - count,
        bytes: maxBytes - (first.upto - part.value.upto),
        hasNone: count === 0,
      });
      const start = part.value.upto - part.value.lengthOf(lines);
      const decoded = decodeLines(lines);
      if (decoded === undefined) return err(unreadable(key));
      parts.push(decoded.entries);
      count += decoded.entries.length;
      if (isFull || count >= Math.min(last, first.entries)) {
        const entries = parts.toReversed().flat();
        return ok({ outcome: 'found', entries, position: first.upto, hasMore: false });
      }
      // The mark at the end counts more than there are.
      if (lines === '' && part.value.from === 0) return err(unreadable(key));
      least = lines === '' ? 4 * least : LEAST_BYTES;
      upto = String(start);
    }
  }

  async #part(
    call: Call,
    key: SessionKey,
    place: readonly string[],
    wanted: number,
    least: number,
    maxBytes: number,
  ): Reply<Part | 'missing' | 'astray'> {
    const { record, journal } = this.#keys.of(key);
    const args = [...place, String(wanted), String(least), String(Math.min(MOST_BYTES, maxBytes))];
    const reply = await call.ask(partScript, [record, journal], args);
    if (reply.isErr()) return err(failed(key)(reply.error));
    if (reply.value === 'missing' || reply.value === 'astray') return ok(reply.value);
    const part = partOf(reply.value);
    return part === undefined ? err(unreadable(key)) : ok(part);
  }
}
