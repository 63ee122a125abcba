import type { IssueList } from '../schema/issue-list.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { fieldsIn } from '../schema/object.js';
import { nullish, type Schema, schema } from '../schema/schema.js';
import { name } from '../schema/values.js';
import { byName } from '../session/canonical-json.js';
import { sortedLabels } from '../session/labels.js';
import { LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/limits.js';
import type { LabelChanges, SessionLabels } from '../session/session.js';
import { RESERVED_PREFIX } from '../session/work-state.js';

export const labelNameForm = /^[A-Za-z0-9_.-]{1,64}$/;

type Entries = readonly (readonly [name: string, value: unknown])[];

// Literals, so that a bundle without labels omits them.
const FREE_RULE = 'must have no names that begin with colloquy., which only the engine sets';

const labelValue = name(LABEL_VALUE_LENGTH);

export const NAME_RULE = 'must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -';

const readLabel = (
  issues: IssueList,
  path: string,
  name: string,
  value: unknown,
): readonly [string, string] => {
  if (labelNameForm.test(name)) return [name, labelValue.read(issues, `${path}.${name}`, value)];
  // The error does not repeat a wrong name, which may contain anything.
  issues.check(false, path, NAME_RULE);
  return [name, ''];
};

const entriesIn = (issues: IssueList, path: string, value: unknown): Entries =>
  Object.entries(fieldsIn(issues, path, value));

/** Labels that a caller sets: at most `most`, and none that only the engine sets. */
const settableIn = (issues: IssueList, path: string, value: unknown, most: number): Entries => {
  const entries = entriesIn(issues, path, value);
  issues.check(entries.length <= most, path, `must be at most ${most}`);
  const isFree = !entries.some(([name]) => name.startsWith(RESERVED_PREFIX));
  issues.check(isFree, path, FREE_RULE);
  return entries;
};

const labelsOf = (issues: IssueList, path: string, entries: Entries): SessionLabels | undefined =>
  sortedLabels(
    entries.slice(0, MAX_LABELS).map(([name, value]) => readLabel(issues, path, name, value)),
  );

/* @__NO_SIDE_EFFECTS__ */
const labelsJson =
  (maxProperties: number, others: JsonSchema = {}) =>
  (): JsonSchema => ({
    type: 'object',
    maxProperties,
    propertyNames: { type: 'string', pattern: labelNameForm.source },
    additionalProperties: { ...labelValue.json(), ...others },
  });

/** The labels of a session, sorted by name; `undefined` if there are none. */
export const labels: Schema<SessionLabels | undefined> = nullish(
  schema(
    (issues, path, value) => labelsOf(issues, path, settableIn(issues, path, value, MAX_LABELS)),
    labelsJson(MAX_LABELS),
  ),
);

const MAX_CHANGES = 2 * MAX_LABELS;

/**
 * Labels to set, and with `null` to remove; at most all that a session has, plus as many new ones.
 * Sorted by name.
 */
export const labelChanges: Schema<LabelChanges | undefined> = nullish(
  schema(
    (issues, path, value) => {
      const entries = settableIn(issues, path, value, MAX_CHANGES);
      const changes = entries.slice(0, MAX_CHANGES).map(([name, label]) => {
        if (label !== null) return readLabel(issues, path, name, label);
        readLabel(issues, path, name, 'removed');
        return [name, null] as const;
      });
      return Object.fromEntries(changes.sort(byName));
    },
    labelsJson(MAX_CHANGES, { type: ['string', 'null'] }),
  ),
);

export const labelFilter: Schema<SessionLabels | undefined> = schema((issues, path, value) => {
  const entries = entriesIn(issues, path, value);
  const fits = entries.length >= 1 && entries.length <= MAX_LABELS;
  issues.check(fits, path, `must be 1 to ${MAX_LABELS} labels, such as { user: 'u-1' }`);
  return labelsOf(issues, path, entries);
}, labelsJson(MAX_LABELS));
