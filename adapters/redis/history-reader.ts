import { err, ok, type Result } from 'neverthrow';
import { corruptRecord } from '../../src/errors.js';
import type { HistoryEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice, SessionKey, StoreError } from '../../src/store.js';
import type { Connection } from './connection.js';
import { failed, unmatchedStrings } from './failure.js';
import { readBackwardScript, readForwardScript } from './history-scripts.js';
import { decodeJournal, decodeLines } from './journal-text.js';
import type { Keyspace } from './keys.js';
import { type JournalPart, journalPart } from './replies.js';
import type { Script } from './script.js';

type Reply = Promise<Result<EntriesOutcome, StoreError>>;

const NO_LINES = 'this part of its journal is none';

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
    return 'last' in slice ? this.#readLast(key, slice.last) : this.#readAfter(key, slice.after, slice.limit);
  }

  async #readAfter(key: SessionKey, after: number, limit: number): Reply {
    const end = this.#connection.endOfCall();
    const entries: HistoryEntry[] = [];
    let position = after;
    let birth: string | undefined;
    for (;;) {
      const args = [String(position), String(limit - entries.length)];
      const part = await this.#part(readForwardScript, key, args, end);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: birth === undefined ? part.value : 'missing' });
      const { lines, span, length } = part.value;
      birth ??= part.value.birth;
      if (birth !== part.value.birth) return ok({ outcome: 'missing' });
      const found = position === 0 ? entriesFromHead(key.id, lines) : decodeLines(lines);
      if (found === undefined) return err(corruptRecord(key.id, NO_LINES));
      entries.push(...found);
      position += span;
      const hasMore = position < length;
      if (entries.length >= limit || !hasMore) return ok({ outcome: 'found', entries, position, hasMore });
      if (span === 0) return err(corruptRecord(key.id, NO_LINES));
    }
  }

  async #readLast(key: SessionKey, last: number): Reply {
    const end = this.#connection.endOfCall();
    const parts: (readonly HistoryEntry[])[] = [];
    let count = 0;
    /** The first reply, which says where the history ended, and how many entries it had. */
    let first: JournalPart | undefined;
    let upto: number | undefined;
    for (;;) {
      const args = [upto === undefined ? '' : String(upto), String(last - count)];
      const part = await this.#part(readBackwardScript, key, args, end);
      if (part.isErr()) return err(part.error);
      if (typeof part.value === 'string') return ok({ outcome: 'missing' });
      const { lines, span, birth, length } = part.value;
      first ??= part.value;
      if (birth !== first.birth) return ok({ outcome: 'missing' });
      const found = decodeLines(lines);
      if (found === undefined) return err(corruptRecord(key.id, NO_LINES));
      parts.push(found);
      count += found.length;
      upto = (upto ?? length) - span;
      if (count >= Math.min(last, first.entries)) {
        const entries = parts.toReversed().flat();
        return ok({ outcome: 'found', entries, position: first.length, hasMore: false });
      }
      // The mark at the end tells of more than there are.
      if (found.length === 0) return err(corruptRecord(key.id, NO_LINES));
    }
  }

  async #part(
    script: Script,
    key: SessionKey,
    args: readonly string[],
    end: number,
  ): Promise<Result<JournalPart | 'missing' | 'astray', StoreError>> {
    const { state, journal } = this.#keys.of(key);
    const reply = await this.#connection.ask(script, [state, journal], args, end);
    if (reply.isErr()) return err(failed(key)(reply.error));
    const part = journalPart(reply.value);
    return part === undefined ? err(unmatchedStrings(key)) : ok(part);
  }
}

/** The entries of a journal from its first line on, if that is the session's. */
const entriesFromHead = (id: string, text: string): readonly HistoryEntry[] | undefined => {
  const journal = decodeJournal(text);
  return journal?.head.id === id ? journal.history.entries() : undefined;
};
