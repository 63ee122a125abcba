import { cutText } from '../../session/cut-text.js';

/** Maximum number of names that are shown. */
const MAX_NAMES = 8;

const fieldOf = (value: unknown, ...names: readonly string[]): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = Object.entries(value).find(([name]) => names.includes(name));
  return found?.[1];
};

const nameOf = (call: unknown): unknown =>
  fieldOf(call, 'toolName', 'tool_name', 'name') ?? fieldOf(fieldOf(call, 'function'), 'name');

/**
 * The names of the tool calls in the data of an entry, in the forms of the usual SDKs. None if
 * there are no calls.
 */
export const toolCallNames = (data: unknown): readonly string[] => {
  const calls = fieldOf(data, 'toolCalls', 'tool_calls');
  if (!Array.isArray(calls)) return [];
  return calls.slice(0, MAX_NAMES).map((call) => cutText(String(nameOf(call) ?? 'unknown'), 64));
};
