import type { IssueList } from '../schema/issue-list.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { nullish, type Schema, schema } from '../schema/schema.js';
import { name } from '../schema/values.js';
import { byName } from '../session/json.js';
import { sortedLabels } from '../session/labels.js';
import { LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/limits.js';
import type { LabelChanges, SessionLabels } from '../session/session.js';
import { RESERVED_PREFIX } from '../session/work-state.js';
import { type NamedValues, namedValuesIn, namedValuesJson } from './named-values.js';

// Literals, so that a bundle without labels omits them.
const FREE_RULE = 'must have no names that begin with colloquy., which only the engine sets';

const labelValue = name(LABEL_VALUE_LENGTH);

/** Labels that a caller sets: at most `most`, and none that only the engine sets. */
const settableIn = (issues: IssueList, path: string, value: unknown, most: number): NamedValues => {
  const rule = `must be at most ${most}`;
  const entries = namedValuesIn(issues, path, value, { least: 0, most, rule });
  const isFree = !entries.some(([name]) => name.startsWith(RESERVED_PREFIX));
  issues.check(isFree, path, FREE_RULE);
  return entries;
};

const labelsOf = (
  issues: IssueList,
  path: string,
  entries: NamedValues,
): SessionLabels | undefined =>
  sortedLabels(
    entries.map(([name, value]) => [name, labelValue.read(issues, `${path}.${name}`, value)]),
  );

/* @__NO_SIDE_EFFECTS__ */
const labelsJson =
  (most: number, others: JsonSchema = {}) =>
  (): JsonSchema =>
    namedValuesJson({ ...labelValue.json(), ...others }, most);

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
      const changes = settableIn(issues, path, value, MAX_CHANGES).map(([name, label]) => {
        if (label === null) return [name, null] as const;
        return [name, labelValue.read(issues, `${path}.${name}`, label)] as const;
      });
      return Object.fromEntries(changes.sort(byName));
    },
    labelsJson(MAX_CHANGES, { type: ['string', 'null'] }),
  ),
);

export const labelFilter: Schema<SessionLabels | undefined> = schema((issues, path, value) => {
  const rule = `must be 1 to ${MAX_LABELS} labels, such as { user: 'u-1' }`;
  return labelsOf(
    issues,
    path,
    namedValuesIn(issues, path, value, { least: 1, most: MAX_LABELS, rule }),
  );
}, labelsJson(MAX_LABELS));
