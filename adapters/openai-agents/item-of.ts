import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { NewHistoryEntry } from '../../src/service/append-history.js';
import type { HistoryEntry, JsonValue } from '../../src/session/session.js';
import { ROLE_LENGTH } from '../../src/session/session-limits.js';

const isRole = (name: unknown): name is string =>
  typeof name === 'string' && name.length > 0 && name.length <= ROLE_LENGTH;

/** The store checks what is JSON, and refuses what is not. */
const isJson = (value: unknown): value is JsonValue => value !== undefined;

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isFields(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
};

/** The entry of an item: the item is its data, and the text of a message is its content. */
export const entryOf = (item: unknown): NewHistoryEntry => {
  if (!isFields(item) || !isJson(item)) throw new TypeError('the items contain invalid or unsupported data');
  const role = [item['role'], item['type']].find(isRole) ?? 'item';
  return { role, content: textOf(item['content']), data: item };
};

/** An entry that was appended as plain text, as a message. */
const messageOf = ({ role, content }: HistoryEntry): Fields =>
  role === 'assistant'
    ? { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text: content }] }
    : { type: 'message', role, content };

/** Only items are stored as data. */
const isItem = <Item extends object>(value: unknown): value is Item => isFields(value);

/** The item of an entry. */
export const itemOf = <Item extends object>(entry: HistoryEntry): Item => {
  const item: unknown = entry.data ?? messageOf(entry);
  if (isItem<Item>(item)) return item;
  throw new TypeError(`the history has an entry of the role ${entry.role} that is no item`);
};
