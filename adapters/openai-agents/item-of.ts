import { jsonText, valueOfJson } from '../../src/input/json-values.js';
import { optional, schema, typed } from '../../src/schema/schema.js';
import { wireList } from '../../src/schema/wire.js';
import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import { ROLE_LENGTH } from '../../src/session/limits.js';
import type { HistoryEntry } from '../../src/session/session.js';
import { isJson, isName, textsIn } from '../sdk/entry-fields.js';

type ItemEntry = Pick<HistoryEntry, 'role' | 'content'> & { readonly data?: unknown };

const isRole = (name: unknown): name is string => isName(name, ROLE_LENGTH);

/** The texts of a message, which are one string or parts; undefined if it has others, or none. */
const textsOf = (content: unknown): readonly string[] | undefined => {
  const texts = textsIn(content);
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
};

const withTexts = (content: unknown, textFor: (text: unknown) => unknown): unknown => {
  if (!Array.isArray(content)) return textFor(content);
  return content.map((part: unknown) =>
    isFields(part) && 'text' in part ? { ...part, text: textFor(part['text']) } : part,
  );
};

const lengthOf = (text: unknown): unknown => {
  if (typeof text === 'string') return text.length;
  return text;
};

/**
 * The history entry of an item. Its content is the text of a message. Its data is the item, but
 * with the length of each text in place of the text, which is then stored once.
 */
export const entryOf = (item: object): NewHistoryEntry => {
  if (!isFields(item) || !isJson(item)) throw new TypeError('an item must be an object');
  const role = [item['role'], item['type']].find(isRole) ?? 'item';
  const content = textsOf(item['content'])?.join('') ?? '';
  if (content === '') return { role, content, data: item };
  const data: unknown = { ...item, content: withTexts(item['content'], lengthOf) };
  return { role, content, ...(isJson(data) && { data }) };
};

/** The content contains the texts one after the other. */
const withContent = (item: Fields, content: string): Fields => {
  if (content === '' || item['content'] === undefined) return item;
  let at = 0;
  const textFor = (stored: unknown): unknown => {
    // A complete item, which another program has appended.
    if (typeof stored !== 'number') return stored;
    const from = at;
    at += stored;
    return content.slice(from, at);
  };
  return { ...item, content: withTexts(item['content'], textFor) };
};

/** The message of an entry that was appended as plain text. */
const messageOf = ({ role, content }: ItemEntry): Fields => {
  if (role !== 'assistant') return { type: 'message', role, content };
  const parts = [{ type: 'output_text', text: content }];
  return { type: 'message', role, status: 'completed', content: parts };
};

const messageRoles: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'developer']);

/** Text in a role that no message has belongs to the program. */
export const isItemEntry = ({ role, data }: ItemEntry): boolean =>
  data !== undefined || messageRoles.has(role);

const isItem = <Item extends object>(value: unknown): value is Item => isFields(value);

const ITEM_RULE = 'must be an object';

export const givenItems = wireList(typed(isFields, ITEM_RULE, {}));

/** The items of a caller, as copies: the caller may change its own before they are stored. */
export const copiedItems = wireList(
  schema((issues, path, value): Fields => {
    issues.check(isFields(value), path, ITEM_RULE);
    const text = jsonText.read(issues, path, value);
    const copy: unknown = text && valueOfJson(text);
    return isFields(copy) ? copy : {};
  }),
);

/** The SDK asks for none with 0 or less. */
export const anyLimit = optional(
  typed((value) => typeof value === 'number', 'must be a number', undefined),
);

export const itemOf = <Item extends object>(entry: ItemEntry): Item => {
  const { data, content } = entry;
  const item: unknown = isFields(data) ? withContent(data, content) : (data ?? messageOf(entry));
  if (isItem<Item>(item)) return item;
  throw new TypeError(`the history has an entry of the role ${entry.role} that is no item`);
};
