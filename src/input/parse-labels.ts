import { byName } from '../session/canonical-json.js';
import { sortedLabels } from '../session/labels.js';
import { LABEL_NAME_LENGTH, LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/limits.js';
import type { LabelChanges, SessionLabels } from '../session/session.js';
import { RESERVED_PREFIX } from '../session/work-state.js';
import type { IssueList } from './issue-list.js';
import { parseFields, parseName } from './parse-fields.js';

export const labelNameForm = /^[A-Za-z0-9_.-]{1,64}$/;

type Entries = readonly (readonly [name: string, value: unknown])[];

/** Reports labels that only the engine sets. */
const checkFree = (issues: IssueList, path: string, entries: Entries): void => {
  const rule = `must have no names that begin with ${RESERVED_PREFIX}, which only the engine sets`;
  issues.check(!entries.some(([name]) => name.startsWith(RESERVED_PREFIX)), path, rule);
};

const parseLabel = (
  issues: IssueList,
  path: string,
  name: string,
  value: unknown,
): readonly [string, string] => {
  const rule = `must have names of 1 to ${LABEL_NAME_LENGTH} of the characters A-Z a-z 0-9 _ . -`;
  if (labelNameForm.test(name))
    return [name, parseName(issues, `${path}.${name}`, value, LABEL_VALUE_LENGTH)];
  // The error does not repeat a wrong name, which may contain anything.
  issues.check(false, path, rule);
  return [name, ''];
};

const labelsOf = (issues: IssueList, path: string, entries: Entries): SessionLabels | undefined =>
  sortedLabels(
    entries.slice(0, MAX_LABELS).map(([name, value]) => parseLabel(issues, path, name, value)),
  );

/** The labels of a session, sorted by name; `undefined` if there are none. */
export const parseLabels = (
  issues: IssueList,
  path: string,
  value: unknown,
): SessionLabels | undefined => {
  if (value === undefined || value === null) return undefined;
  const entries = Object.entries(parseFields(issues, path, value));
  issues.check(entries.length <= MAX_LABELS, path, `must be at most ${MAX_LABELS}`);
  checkFree(issues, path, entries);
  return labelsOf(issues, path, entries);
};

/**
 * Labels to set, and with `null` to remove; at most all that a session has, plus as many new ones.
 * Sorted by name.
 */
export const parseLabelChanges = (
  issues: IssueList,
  path: string,
  value: unknown,
): LabelChanges | undefined => {
  if (value === undefined || value === null) return undefined;
  const most = 2 * MAX_LABELS;
  const entries = Object.entries(parseFields(issues, path, value));
  issues.check(entries.length <= most, path, `must be at most ${most}`);
  checkFree(issues, path, entries);
  const changes = entries.slice(0, most).map(([name, label]) => {
    if (label !== null) return parseLabel(issues, path, name, label);
    parseLabel(issues, path, name, 'removed');
    return [name, null] as const;
  });
  return Object.fromEntries(changes.sort(byName));
};

/** The labels that listed sessions must have. */
export const parseLabelFilter = (
  issues: IssueList,
  path: string,
  value: unknown,
): SessionLabels | undefined => {
  const entries = Object.entries(parseFields(issues, path, value));
  const fits = entries.length >= 1 && entries.length <= MAX_LABELS;
  issues.check(fits, path, `must be 1 to ${MAX_LABELS} labels, such as { user: 'u-1' }`);
  return labelsOf(issues, path, entries);
};
