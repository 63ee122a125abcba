import { decodeEntries, encodeEntry, isRedacted, redactedEntry } from '../shared/stored-json.js';
import { type Connection, hasKey } from './connection.js';

const FIND_ENTRIES = `SELECT session, entry_number, entry FROM colloquy_entries
  WHERE session = ? AND position IN (SELECT value FROM json_each(?))`;
const REDACT = 'UPDATE colloquy_entries SET entry = ? WHERE session = ? AND entry_number = ?';

/**
 * Redacts the entries of a session at these positions, also superseded ones. Returns whether anything was redacted;
 * `undefined` if an entry cannot be read.
 */
export const redactRows = (
  connection: Connection,
  session: number,
  positions: readonly number[],
): boolean | undefined => {
  const found = { sql: FIND_ENTRIES, values: [session, JSON.stringify(positions)] };
  let isChanged = false;
  for (const { entry_number: number, entry: text } of connection.query(found, hasKey({ session }))) {
    const [entry] = decodeEntries(text) ?? [];
    if (entry === undefined) return undefined;
    if (isRedacted(entry)) continue;
    connection.run(REDACT, encodeEntry(redactedEntry(entry)), session, Number(number));
    isChanged = true;
  }
  return isChanged;
};
