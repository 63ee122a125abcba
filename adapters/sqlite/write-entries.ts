import { bytesOf } from '../shared/stored-json.js';
import type { Connection } from './connection.js';
import type { EntryEnd } from './stored-positions.js';

const INTO = 'INTO colloquy_entries (session, entry_number, position, bytes, entry) VALUES (?, ?, ?, ?, ?)';
const WRITE = `INSERT ${INTO}`;
/* After a rewind, a superseded entry may have the number. */
const REWRITE = `INSERT OR REPLACE ${INTO}`;

/** Writes the texts of entries after another one. Returns the end of the last one. */
export const writeEntries = (
  connection: Connection,
  session: number,
  texts: readonly string[],
  { number, position, bytes }: EntryEnd,
): EntryEnd => {
  const sql = number === position ? WRITE : REWRITE;
  let [at, size] = [0, bytes];
  for (const text of texts) {
    at += 1;
    // Plus a comma.
    size += bytesOf(text) + 1;
    connection.run(sql, session, number + at, position + at, size, text);
  }
  return { number: number + at, position: position + at, bytes: size };
};
