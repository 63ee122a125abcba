import type { IssueList } from '../schema/issue-list.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { fieldsIn } from '../schema/object.js';

/** The form of the names of labels and counters. */
export const nameForm = /^[A-Za-z0-9_.-]{1,64}$/;

export const NAME_RULE = 'must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -';

export type NamedValues = readonly (readonly [name: string, value: unknown])[];

/** How many values there may be, and the rule that other numbers break. */
interface Size {
  readonly least: number;
  readonly most: number;
  readonly rule: string;
}

/** The members of a value that have a valid name, at most `most`. Reports if there are others. */
export const namedValuesIn = (
  issues: IssueList,
  path: string,
  value: unknown,
  { least, most, rule }: Size,
): NamedValues => {
  const earlier = issues.found.length;
  const all = Object.entries(fieldsIn(issues, path, value));
  if (issues.found.length > earlier) return [];
  const named = all.filter(([name]) => nameForm.test(name));
  issues.check(all.length >= least && all.length <= most, path, rule);
  // The error does not repeat an invalid name, which may contain anything.
  issues.check(named.length === all.length, path, NAME_RULE);
  return named.slice(0, most);
};

/** The JSON Schema of values by their names. */
export const namedValuesJson = (value: JsonSchema, maxProperties: number): JsonSchema => ({
  type: 'object',
  maxProperties,
  propertyNames: { type: 'string', pattern: nameForm.source },
  additionalProperties: value,
});
