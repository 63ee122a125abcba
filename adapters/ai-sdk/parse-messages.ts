import { jsonText, MAX_DEPTH, valueOfJson } from '../../src/input/json-values.js';
import type { IssueList } from '../../src/schema/issue-list.js';
import { copiedFields, fieldsIn } from '../../src/schema/object.js';
import { type Schema, schema } from '../../src/schema/schema.js';
import { hasMethods, isFields } from '../../src/session/fields.js';
import type { JsonValue } from '../../src/session/session.js';
import { isMessage, isRole, type Message } from './chat-message.js';

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

const shownMembers = (value: unknown, above: readonly unknown[]): unknown => {
  if (Array.isArray(value)) return value.map((part, at) => shown(part, `${at}`, above));
  if (!isFields(value) || !isPlain(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, part]) => [name, shown(part, name, above)]));
};

/**
 * Replaces everything that has a `toJSON` by its result, as the page receives it: a tool may have
 * returned a `Date`, and the answer must not be lost because of it. `jsonText` rejects the rest: a
 * `Map`, whose content JSON would drop, and a cycle.
 */
const shown = (value: unknown, name = '', above: readonly unknown[] = []): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (above.length > MAX_DEPTH || above.includes(value)) return value;
  const within = [...above, value];
  if (!hasMethods(value, 'toJSON')) return shownMembers(value, within);
  return shownMembers(Reflect.apply(Reflect.get(value, 'toJSON'), value, [name]), within);
};

const parseShown = (issues: IssueList, path: string, value: unknown): JsonValue | undefined => {
  try {
    const given = shown(value);
    const text = given === undefined ? undefined : jsonText.read(issues, path, given);
    return text === undefined ? undefined : valueOfJson(text);
  } catch (cause) {
    // A `toJSON` or a getter of the caller may throw.
    issues.caught(cause, path);
    return undefined;
  }
};

const parsePart = (issues: IssueList, path: string, value: unknown): JsonValue | undefined => {
  const before = issues.found.length;
  const part = parseShown(issues, path, value);
  if (issues.found.length > before) return undefined;
  const { type, text } = fieldsIn(issues, path, part);
  issues.check(typeof type === 'string', `${path}.type`, 'must be a string');
  issues.check(type !== 'text' || typeof text === 'string', `${path}.text`, 'must be a string');
  return part;
};

const parseMessage = (issues: IssueList, path: string, value: unknown): readonly Message[] => {
  const { id, role, parts, ...more } = copiedFields(issues, path, value, `${path}.`);
  issues.check(typeof id === 'string', `${path}.id`, 'must be a string');
  issues.check(isRole(role), `${path}.role`, 'must be system, user or assistant');
  issues.check(Array.isArray(parts), `${path}.parts`, 'must be an array');
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const message: unknown = {
    id,
    role,
    ...Object.fromEntries(
      Object.entries(more).flatMap(([name, field]) => {
        const parsed = parseShown(issues, `${path}.${name}`, field);
        return parsed === undefined ? [] : [[name, parsed]];
      }),
    ),
    parts: list.map((part, at) => parsePart(issues, `${path}.parts[${at}]`, part)),
  };
  return isMessage(message) ? [message] : [];
};

export const uiMessage: Schema<Message> = schema((issues, path, value) => {
  const [message] = parseMessage(issues, path, value);
  return message ?? { id: '', role: 'user', parts: [] };
});

export const uiMessages: Schema<readonly Message[]> = schema((issues, path, messages) => {
  issues.check(Array.isArray(messages), path, 'must be an array of UIMessage');
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return list.flatMap((message, at) => parseMessage(issues, `${path}[${at}]`, message));
});
