import { err, ok, type Result } from 'neverthrow';
import type { CorruptRecord } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import type { PositionedEntry } from '../../src/session/session.js';
import type { SessionKey, StoredMessage } from '../../src/store/session-store.js';
import { decodeEntries, decodeMessage } from '../stored/json.js';
import type { Query } from './query.js';
import { storedKeyOf } from './queue-query.js';
import { unreadable } from './session-rows.js';

/**
 * The messages that wait, or the messages with `ids`, in the order in which they were sent.
 * `listed`: selects the ids from JSON.
 */
export const messagesQuery = (
  key: SessionKey,
  ids: readonly string[] | undefined,
  listed: string,
): Query => {
  const condition = ids === undefined ? 'entry IS NOT NULL' : `message.id IN (${listed})`;
  const given = ids === undefined ? [] : [JSON.stringify(ids)];
  return {
    sql: `
      SELECT tenant, session.id, message.id AS message, digest, entry, message.position
      FROM $sessions AS session JOIN $messages AS message ON message.session = session.number
      WHERE tenant = ? AND session.id = ? AND ${condition}
      ORDER BY message.number`,
    values: [...Object.values(storedKeyOf(key)), ...given],
  };
};

export const MESSAGE_COLUMNS = ['message', 'digest', 'entry', 'position'];

const messageIn = ({ message: id, digest, entry: text, position }: Fields) => {
  const message = { id: String(id), digest: String(digest) };
  if (position !== null) return { ...message, position: Number(position) };
  if (text === null) return message;
  const entry = decodeMessage(text);
  return entry && { ...message, entry };
};

export const messagesIn = (
  session: string,
  rows: readonly Fields[],
): Result<readonly StoredMessage[], CorruptRecord> => {
  const messages = rows.flatMap((row) => messageIn(row) ?? []);
  if (messages.length < rows.length) return err(unreadable(session, 'inbox'));
  return ok(messages);
};

/** The messages that a turn has taken up to a position, as JSON separated by commas. */
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
