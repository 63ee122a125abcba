import { type Fields, isFields } from '../../src/input/parse-fields.js';
import type { NewHistoryEntry } from '../../src/service/append-history.js';
import type { HistoryEntry, JsonValue } from '../../src/session/session.js';
import { ROLE_LENGTH } from '../../src/session/session-limits.js';

const isRole = (name: unknown): name is string =>
  typeof name === 'string' && name.length > 0 && name.length <= ROLE_LENGTH;

/** The service checks the value itself, and refuses it if it is not JSON. */
const isJson = (value: unknown): value is JsonValue => value !== undefined;

const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isFields(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
};

/** The history entry of an item: its data is the item, and its content is the text of a message. */
export const entryOf = (item: unknown): NewHistoryEntry => {
  if (!isFields(item) || !isJson(item)) throw new TypeError('the items contain invalid or unsupported data');
  const role = [item['role'], item['type']].find(isRole) ?? 'item';
  return { role, content: textOf(item['content']), data: item };
};

/** The message of an entry that was appended as plain text. */
const messageOf = ({ role, content }: HistoryEntry): Fields =>
  role === 'assistant'
    ? { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text: content }] }
    : { type: 'message', role, content };

/** All stored data are items. */
const isItem = <Item extends object>(value: unknown): value is Item => isFields(value);

/** The item of an entry. */
export const itemOf = <Item extends object>(entry: HistoryEntry): Item => {
  const item: unknown = entry.data ?? messageOf(entry);
  if (isItem<Item>(item)) return item;
  throw new TypeError(`the history has an entry of the role ${entry.role} that is no item`);
};
