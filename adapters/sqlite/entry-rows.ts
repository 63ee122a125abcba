import { decodeEntries, encodeEntry, isRedacted, redactedEntry } from '../shared/stored-json.js';
import { type Connection, hasKey } from './connection.js';

/* One statement for all entries: the driver takes longer for a call than SQLite for a row. */
const ADD = `
  INSERT INTO colloquy_entries (session, position, bytes, entry)
  SELECT ?, ? + key, length(CAST(value AS BLOB)) + 1, value
  FROM json_each(?)`;
const SIZE_AFTER = `
  SELECT number, count(position) AS entries, coalesce(sum(bytes), 0) AS bytes
  FROM (SELECT ? AS number) LEFT JOIN colloquy_entries
    ON session = number AND position > ?`;
const DELETE_AFTER = 'DELETE FROM colloquy_entries WHERE session = ? AND position > ?';
const FIND_AT = `
  SELECT session
  FROM colloquy_entries
  WHERE session = ? AND position IN (?, ?)
  LIMIT 1`;
const FIND_ENTRIES = `
  SELECT session, position, entry
  FROM colloquy_entries
  WHERE session = ? AND position IN (SELECT value FROM json_each(?))`;
const REDACT = 'UPDATE colloquy_entries SET entry = ? WHERE session = ? AND position = ?';

/** Number of entries, and bytes of their JSON with a comma for each. */
export interface EntriesSize {
  readonly entries: number;
  readonly bytes: number;
}

/** The entries of histories. A session is given by its number. Call all methods within a transaction. */
export class EntryRows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Adds the texts of entries, which take the positions after `position`. */
  add(session: number, position: number, texts: readonly string[]): void {
    if (texts.length === 0) return;
    this.#connection.run(ADD, session, position + 1, JSON.stringify(texts));
  }

  /** Number and bytes of the entries after a position. */
  sizeAfter(session: number, position: number): EntriesSize {
    const row = this.#connection.find(SIZE_AFTER, { number: session }, position);
    return { entries: Number(row?.['entries']), bytes: Number(row?.['bytes']) };
  }

  deleteAfter(session: number, position: number): void {
    this.#connection.run(DELETE_AFTER, session, position);
  }

  /**
   * Whether a position up to the end is in the history: it is the beginning, the end, that of an entry, or that of the
   * rewind directly before an entry. Every other position is superseded.
   */
  isCurrent(session: number, position: number, end: number): boolean {
    if (position === 0 || position === end) return true;
    return this.#connection.find(FIND_AT, { session }, position, position + 1) !== undefined;
  }

  /**
   * Redacts the entries at these positions. A position without an entry is that of a rewind or superseded, and has
   * nothing to redact. Returns whether anything was redacted; `undefined` if an entry cannot be read.
   */
  redact(session: number, positions: readonly number[]): boolean | undefined {
    const found = { sql: FIND_ENTRIES, values: [session, JSON.stringify(positions)] };
    let isChanged = false;
    for (const { position, entry: text } of this.#connection.query(found, hasKey({ session }))) {
      const [entry] = decodeEntries(text) ?? [];
      if (entry === undefined) return undefined;
      if (isRedacted(entry)) continue;
      this.#connection.run(REDACT, encodeEntry(redactedEntry(entry)), session, Number(position));
      isChanged = true;
    }
    return isChanged;
  }
}
