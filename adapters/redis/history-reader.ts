import { err, ok, type Result } from 'neverthrow';
import type { HistoryEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice, SessionKey, StoreError } from '../../src/store.js';
import type { Call, Connection } from './connection.js';
import { failed, unreadable } from './failure.js';
import { readBackwardScript, readForwardScript } from './history-scripts.js';
import { decodeLines } from './journal-text.js';
import type { Keyspace } from './keys.js';
import type { Script } from './script.js';

type Reply = Promise<Result<EntriesOutcome, StoreError>>;

/** Lines of a journal, and what there is to know of the whole. */
interface JournalPart {
  readonly lines: string;
  /** How much of the journal they are, in the unit in which the server counts. */
  readonly span: number;
  /** How long the journal is, and how many entries it has. */
  readonly length: number;
  readonly entries: number;
  readonly birth: string;
}

const partOf = (reply: unknown): JournalPart | 'missing' | 'astray' | undefined => {
  if (reply === 'missing' || reply === 'astray') return reply;
  const [lines, span, length, entries, birth]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof lines !== 'string' || typeof birth !== 'string') return undefined;
  return {
    lines,
    span: Number(span) === -1 ? lines.length : Number(span),
    length: Number(length),
    entries: Number(entries),
    birth,
  };
};

/**
 * Reads parts of histories. One command gives a part of up to a mebibyte; a longer one takes several, which may find that
 * the session was removed meanwhile: then it was missing for a moment, even if another has its id by now.
 */
export class HistoryReader {
  readonly #connection: Connection;
  readonly #keys: Keyspace;

  constructor(connection: Connection, keys: Keyspace) {
    this.#connection = connection;
    this.#keys = keys;
  }

  read(key: SessionKey, slice: HistorySlice): Reply {
    const { maxBytes = Number.POSITIVE_INFINITY } = slice;
    return 'last' in slice
      ? this.#readLast(key, slice.last, maxBytes)
      : this.#readAfter(key, slice.after, slice.limit, maxBytes);
  }

  async #readAfter(key: SessionKey, after: number, limit: number, maxBytes: number): Reply {
    const call = this.#connection.begin();
    const entries: HistoryEntry[] = [];
    let position = after;
    let birth: string | undefined;
    for (;;) {
      const part = await this.#part(call, readForwardScript, key, [String(position), String(limit - entries.length)]);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: birth === undefined ? part.value : 'missing' });
      const { lines, span, length } = part.value;
      birth ??= part.value.birth;
      if (birth !== part.value.birth) return ok({ outcome: 'missing' });
      if (entries.length > 0 && position + span - after > maxBytes) {
        return ok({ outcome: 'found', entries, position, hasMore: true });
      }
      const decoded = decodeLines(lines);
      if (decoded === undefined) return err(unreadable(key));
      entries.push(...decoded.entries);
      position += span;
      const hasMore = position < length;
      if (entries.length >= limit || !hasMore) return ok({ outcome: 'found', entries, position, hasMore });
      if (span === 0) return err(unreadable(key));
    }
  }

  async #readLast(key: SessionKey, last: number, maxBytes: number): Reply {
    const call = this.#connection.begin();
    const parts: (readonly HistoryEntry[])[] = [];
    let count = 0;
    /** The first reply, which says where the history ended, and how many entries it had. */
    let first: JournalPart | undefined;
    let upto: number | undefined;
    for (;;) {
      const args = [upto === undefined ? '' : String(upto), String(last - count)];
      const part = await this.#part(call, readBackwardScript, key, args);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: 'missing' });
      const { lines, span, birth, length } = part.value;
      first ??= part.value;
      if (birth !== first.birth) return ok({ outcome: 'missing' });
      upto = (upto ?? length) - span;
      const isTooLarge = count > 0 && first.length - upto > maxBytes;
      const decoded = isTooLarge ? undefined : decodeLines(lines);
      if (decoded === undefined && !isTooLarge) return err(unreadable(key));
      const found = decoded?.entries ?? [];
      parts.push(found);
      count += found.length;
      if (isTooLarge || count >= Math.min(last, first.entries)) {
        const entries = parts.toReversed().flat();
        return ok({ outcome: 'found', entries, position: first.length, hasMore: false });
      }
      // The mark at the end counts more than there are.
      if (found.length === 0) return err(unreadable(key));
    }
  }

  async #part(
    call: Call,
    script: Script,
    key: SessionKey,
    args: readonly string[],
  ): Promise<Result<JournalPart | 'missing' | 'astray', StoreError>> {
    const { record, journal } = this.#keys.of(key);
    const reply = await call.ask(script, [record, journal], args);
    if (reply.isErr()) return err(failed(key)(reply.error));
    const part = partOf(reply.value);
    return part === undefined ? err(unreadable(key)) : ok(part);
  }
}
