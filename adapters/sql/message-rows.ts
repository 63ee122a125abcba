import { err, ok, type Result } from 'neverthrow';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { StoredMessage } from '../../src/store/session-store.js';
import { decodeEntries, decodeMessage } from '../stored/json.js';
import { unreadable } from './session-rows.js';

/**
 * A statement that reads messages of the session with a stored key, in the order in which they were
 * sent.
 */
export const messagesWhere = (condition: string): string => `
  SELECT tenant, session.id, message.id AS message, digest, entry, message.position
  FROM $sessions AS session JOIN $messages AS message ON message.session = session.number
  WHERE tenant = ? AND session.id = ? AND ${condition}
  ORDER BY message.number`;

/** Columns of its rows. */
export const MESSAGE_COLUMNS = ['message', 'digest', 'entry', 'position'];

const messageIn = ({ message: id, digest, entry: text, position }: Fields) => {
  const message = { id: String(id), digest: String(digest) };
  if (position !== null) return { ...message, position: Number(position) };
  if (text === null) return message;
  const entry = decodeMessage(text);
  return entry && { ...message, entry };
};

/** The messages in rows of a session. */
export const messagesIn = (
  session: string,
  rows: readonly Fields[],
): Result<readonly StoredMessage[], CorruptRecord> => {
  const messages = rows.flatMap((row) => messageIn(row) ?? []);
  if (messages.length < rows.length) return err(unreadable(session, 'inbox'));
  return ok(messages);
};

/** The messages that a turn has taken, as texts with commas between them, up to a position. */
export const takenIn = (
  session: string,
  texts: unknown,
  position: number,
): Result<readonly PositionedEntry[], CorruptRecord> => {
  const entries = decodeEntries(texts);
  if (entries === undefined) return err(unreadable(session, 'inbox'));
  const before = position - entries.length;
  return ok(entries.map((entry, at) => ({ ...entry, position: before + at + 1 })));
};
