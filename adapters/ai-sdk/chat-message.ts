import type { NewHistoryEntry } from '../../src/service/new-history-entry.js';
import { isFields } from '../../src/session/fields.js';
import { canonicalJson } from '../../src/session/json.js';
import type { JsonValue, PositionedEntry } from '../../src/session/session.js';

/** The common part of `UIMessage` of `ai` 6 and `ai` 7, with any metadata, data parts and tools. */
export interface ChatMessage {
  /** 1 to 256 characters. */
  readonly id: string;
  /** The author of the message. */
  readonly role: 'system' | 'user' | 'assistant';
  /** JSON of any type, or values with a `toJSON`. */
  readonly metadata?: unknown;
  /** JSON, or values with a `toJSON`: texts, files, tool calls and so on. */
  readonly parts: readonly { readonly type: string }[];
}

type Json = { readonly [name: string]: JsonValue | undefined };
type Part = Json & { readonly type: string };

export type Message = Json & Pick<ChatMessage, 'id' | 'role'> & { readonly parts: readonly Part[] };

const isObject = (value: unknown): value is Json => isFields(value);

const areParts = (parts: JsonValue | undefined): parts is readonly Part[] =>
  Array.isArray(parts) &&
  parts.every((part: JsonValue) => isObject(part) && typeof part['type'] === 'string');

export const isRole = (role: unknown): role is ChatMessage['role'] =>
  role === 'system' || role === 'user' || role === 'assistant';

export const isMessage = (value: unknown): value is Message =>
  isObject(value) &&
  typeof value['id'] === 'string' &&
  isRole(value['role']) &&
  areParts(value['parts']);

/** The answer of a model that failed immediately has no content. */
export const hasContent = ({ role, parts }: Message): boolean =>
  role !== 'assistant' || parts.some(({ type, text }) => type !== 'step-start' && text !== '');

const isText = ({ type }: Part): boolean => type === 'text';

const noText = { text: undefined };

/**
 * The history entry of a message: its content is the text, and its data is the rest. A single text
 * is not stored twice, and a message that is only text has no data.
 */
export const entryOf = ({ id, role, parts, ...more }: Message): NewHistoryEntry => {
  const texts = parts.filter(isText);
  const isSingle = texts.length === 1;
  const rest = parts.map((part) => ({ ...part, ...(isSingle && isText(part) && noText) }));
  const data = { ...more, parts: rest };
  const content = texts.map(({ text }) => text).join('\n\n');
  return {
    id,
    role,
    content,
    ...(canonicalJson(data) !== '{"parts":[{"type":"text"}]}' && { data }),
  };
};

/**
 * The message of a history entry. An entry that was not saved as a message becomes a message with
 * its text.
 */
export const messageOf = ({ id, role, content, data, position }: PositionedEntry): Message => {
  // An edit has a separate id in the inbox.
  const own = isObject(data) ? data['id'] : undefined;
  const named = {
    id: typeof own === 'string' ? own : (id ?? `position-${position}`),
    role: isRole(role) ? role : 'assistant',
  } as const;
  if (!isObject(data) || !areParts(data['parts']))
    return { ...named, parts: [{ type: 'text', text: content }] };
  const whole = data['parts'].map((part) => {
    if (!isText(part) || part['text'] !== undefined) return part;
    return { ...part, text: content };
  });
  return { ...named, ...data, ...named, parts: whole };
};
