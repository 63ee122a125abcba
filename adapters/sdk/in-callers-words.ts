import { type InputIssue, invalidInput } from '../../src/session/errors.js';
import { isFields } from '../../src/session/fields.js';
import type { ConversationError } from './append-once.js';

const isIssue = (value: unknown): value is InputIssue =>
  isFields(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';

/** `entries`, `entries[2]` or `entries[2].content`. */
const ENTRIES = /^entries(?:\[(\d+)\](?:\.(\w+))?)?/;

export const withPaths = <E extends ConversationError>(
  error: E,
  pathOf: (path: string) => string,
): E => {
  const given: unknown = Reflect.get(error, 'issues');
  if (error.type !== 'invalid_input' || !Array.isArray(given) || !given.every(isIssue))
    return error;
  const { issues, message } = invalidInput(
    given.map(({ path, message: rule }) => ({ path: pathOf(path), message: rule })),
  );
  return { ...error, issues, message };
};

/**
 * An error of the engine that names what the caller has passed: `list` in place of `entries`, and
 * what `nameOf` returns in place of a field of an entry. The field is empty for a complete entry.
 */
export const inCallersWords = <E extends ConversationError>(
  error: E,
  list: string,
  nameOf: (index: number, field: string) => string,
): E =>
  withPaths(error, (path) =>
    path.replace(ENTRIES, (_, index?: string, field = '') =>
      index === undefined ? list : nameOf(Number(index), field),
    ),
  );
