import { type Fields, isFields } from '../session/fields.js';
import type { IssueList } from './issue-list.js';
import { anything, type FieldSchemas, type OutOf, type Read, type Schema } from './schema.js';
import { checkKnown, type FindMeant } from './unknown-fields.js';

/** An object with these fields. */
export interface ObjectSchema<F extends FieldSchemas> extends Schema<OutOf<F>> {
  readonly fields: F;
}

const noFields: Fields = {};

export const fieldsIn = (issues: IssueList, path: string, value: unknown): Fields => {
  issues.check(isFields(value), path, 'must be an object');
  return isFields(value) ? value : noFields;
};

/**
 * What `read` makes of a field. A getter of the caller may throw; then the issue names the field,
 * unless one within it is named already.
 */
const readField = <T>(
  issues: IssueList,
  path: string,
  read: Read<T>,
  given: Fields,
  name: string,
): T | undefined => {
  const before = issues.found.length;
  try {
    return read(issues, path, given[name]);
  } catch (cause) {
    if (issues.found.length === before) issues.caught(cause, path);
    return undefined;
  }
};

/**
 * A copy of the fields of a value, which must be an object. Reads each of them once. `prefix`
 * precedes their names in issues.
 */
export const copiedFields = (
  issues: IssueList,
  path: string,
  value: unknown,
  prefix = '',
): Fields => {
  const given = fieldsIn(issues, path, value);
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(given))
    found[name] = readField(issues, prefix + name, anything.read, given, name);
  return found;
};

/**
 * An object with these fields and no others. In the body of a host's operation, others are ignored.
 *
 * @example
 * ```ts
 * const rating = object({ stars: plain({ type: 'integer', minimum: 1, maximum: 5 }) });
 * const body: Operation['body'] = { name: 'Rating', of: () => rating };
 * ```
 */
export function object<F extends FieldSchemas>(fields: F, meant?: FindMeant): ObjectSchema<F>;
export function object(fields: FieldSchemas, meant?: FindMeant): ObjectSchema<FieldSchemas> {
  const all = Object.entries(fields).map(([name, { read, isIgnored = false }]) => ({
    name,
    read,
    isIgnored,
  }));
  const names = Object.keys(fields);
  return {
    fields,
    json: () => ({ type: 'object' }),
    read: (issues, path, value) => {
      const given = fieldsIn(issues, path, value);
      const prefix = path && `${path}.`;
      checkKnown(issues, given, names, prefix, meant);
      const found: Record<string, unknown> = {};
      for (const { name, read, isIgnored } of all) {
        if (isIgnored && !(name in given)) continue;
        found[name] = readField(issues, prefix + name, read, given, name);
      }
      return found;
    },
  };
}
