import { err, ok } from 'neverthrow';
import type { StoredMessage } from '../../src/store/session-store.js';
import { decodeMessage } from '../stored/json.js';
import { type Call, scriptOf } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import type { SessionKeys } from './keyspace.js';
import { asText } from './reply-form.js';
import fieldsLua from './scripts/fields.lua';
import historyLua from './scripts/history.lua';
import inboxLua from './scripts/inbox.lua';
import messagesLua from './scripts/messages.lua';
import recordLua from './scripts/record.lua';

const messagesScript = scriptOf(fieldsLua, recordLua, historyLua, inboxLua, messagesLua);

const messageIn = (id: string, digest: string, place: string): StoredMessage | undefined => {
  if (place === '') return { id, digest };
  if (/^\d+$/.test(place)) return { id, digest, position: Number(place) };
  const entry = decodeMessage(place);
  return entry && { id, digest, entry };
};

export const readMessages = async (
  call: Call,
  keys: SessionKeys,
  ids: readonly string[],
): Answer<readonly StoredMessage[]> => {
  const names = [keys.record, keys.journal, keys.inbox];
  const reply = await call.readScript(messagesScript, names, ids, asText);
  if (reply.isErr()) return err(toStoreError(keys, reply.error));
  if (reply.value === 'corrupt') return err(unreadable(keys));
  const lines = reply.value === '' ? [] : reply.value.split('\n');
  const messages: StoredMessage[] = [];
  for (let at = 0; at < lines.length; at += 3) {
    const [id = '', digest = '', place = ''] = lines.slice(at, at + 3);
    const message = messageIn(id, digest, place);
    if (message === undefined) return err(unreadable(keys));
    messages.push(message);
  }
  return ok(messages);
};
