import type { Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { InboxEffects, MessageToStore } from '../../src/store/commit.js';
import type { Facts } from '../../src/store/judge.js';
import type { SessionKey, StoredMessage } from '../../src/store/session-store.js';
import { messagesIn, messagesQuery } from '../sql/message-rows.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { encodeEntry } from '../stored/json.js';
import { type Connection, hasKey } from './connection.js';

const FIND = 'SELECT session, id, digest FROM $messages WHERE session = ? AND id = ?';
const ADD = 'INSERT INTO $messages (session, id, digest, entry) VALUES (?, ?, ?, ?)';
const OLDEST = `
  SELECT session, number, entry
  FROM $messages
  WHERE session = ? AND entry IS NOT NULL
  ORDER BY number
  LIMIT ?`;
const TAKE = 'UPDATE $messages SET entry = NULL, position = ? WHERE number = ?';
const WITHDRAW = `
  UPDATE $messages
  SET entry = NULL
  WHERE session = ? AND id IN (SELECT value FROM json_each(?))`;

/* All functions except `findMessages` need a transaction, and the number of the session. */

export const findMessage = (connection: Connection, session: number, id: string): Facts['sent'] => {
  const row = connection.find(FIND, { session, id });
  return row && { digest: String(row['digest']) };
};

export const addMessage = (
  connection: Connection,
  session: number,
  { entry, digest }: MessageToStore,
): void => connection.run(ADD, session, entry.id, digest, encodeEntry(entry));

export const withdraw = (connection: Connection, session: number, ids: readonly string[]): void =>
  connection.run(WITHDRAW, session, JSON.stringify(ids));

/**
 * Moves the oldest messages to the positions after `end`, and returns the JSON of their entries.
 */
export const takeMessages = (
  connection: Connection,
  session: number,
  { messages, turn }: NonNullable<InboxEffects['take']>,
  end: number,
): readonly string[] => {
  const rows = connection.query({ sql: OLDEST, values: [session, messages] }, hasKey({ session }));
  return rows.map(({ number, entry }, at) => {
    connection.run(TAKE, end + at + 1, Number(number));
    return `${String(entry).slice(0, -1)},"turn":${turn}}`;
  });
};

export const findMessages = (
  connection: Connection,
  key: SessionKey,
  ids: readonly string[] | undefined,
): Result<readonly StoredMessage[], StoreError> =>
  connection.read(() => {
    const query = messagesQuery(key, ids, 'SELECT value FROM json_each(?)');
    return messagesIn(key.id, connection.query(query, hasKey(storedKeyOf(key))));
  });
