import { Recent } from '../../src/recent.js';
import type { SessionRecord } from '../../src/session/record.js';
import { decodeGrownJournal, decodeJournal, type Journal, lastMark } from './journal-text.js';
import { decodeState, isGone, lastChange } from './state-text.js';

/** So many characters of journals are remembered. */
const ROOM = 4 * 1024 * 1024;

/** Where the id stands in a journal. */
const ID_AT = '{"id":"'.length;

export type ReadRecord = SessionRecord | 'missing' | 'corrupt';

type Stored = string | null | undefined;

interface Known {
  readonly state: string;
  readonly journal: Journal;
  readonly record: SessionRecord;
}

/**
 * Makes sessions of their two strings. Dashboards and workers read the same sessions again and again: those that were
 * read lately are remembered, so that a text need not be checked and parsed twice. Nothing here can be out of date,
 * because what is remembered is only used for the very text that the server has just sent; and readers share it, so it
 * is frozen.
 */
export class RecordReader {
  /** By id: tenants that use the same id push each other out, which costs time and nothing else. */
  readonly #known = new Recent<Known>(ROOM, ({ journal }) => journal.text.length);

  /** What the strings say: `missing` if there is no session, `corrupt` if they make no session. */
  read(state: Stored, journal: Stored): ReadRecord {
    if (typeof state === 'string' && isGone(state)) return 'missing';
    if (typeof state !== 'string' || typeof journal !== 'string') return state || journal ? 'corrupt' : 'missing';
    const known = this.#known.get(journal.slice(ID_AT, journal.indexOf('"', ID_AT)));
    if (known !== undefined && known.state === state && known.journal.text === journal) return known.record;
    const decoded = known === undefined ? decodeJournal(journal) : decodeGrownJournal(journal, known.journal);
    const current = decodeState(state);
    if (decoded === undefined || current === undefined) return 'corrupt';
    const sequence = Math.max(lastChange(state).sequence, lastMark(journal).sequence);
    const { head, history } = decoded;
    const record = Object.freeze({ head, state: Object.freeze(current), history, sequence });
    this.#known.set(decoded.head.id, { state, journal: decoded, record });
    return record;
  }

  /** The same for the strings of a session that was asked for by its id. */
  readOf(id: string, state: Stored, journal: Stored): ReadRecord {
    const record = this.read(state, journal);
    return typeof record === 'object' && record.head.id !== id ? 'corrupt' : record;
  }
}
