import type { SessionLabels } from '../session/session.js';
import { LABEL_NAME_LENGTH, LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/session-limits.js';
import type { IssueList } from './read-safely.js';
import { isFields, readFields, readName } from './values.js';

/** Whether a value has the form of labels. Their limits are those of the time at which they were read. */
export const isLabels = (value: unknown): value is SessionLabels =>
  isFields(value) && Object.values(value).every((label) => typeof label === 'string');

export const labelNameForm = /^[a-z0-9_.-]{1,64}$/;

const readLabel = (issues: IssueList, path: string, name: string, value: unknown): readonly [string, string] => {
  const rule = `must have names of 1 to ${LABEL_NAME_LENGTH} of the characters a-z 0-9 _ . -`;
  const isNamed = labelNameForm.test(name);
  issues.check(isNamed, path, rule);
  // A wrong name may hold anything, so no error repeats it.
  return [name, isNamed ? readName(issues, `${path}.${name}`, value, LABEL_VALUE_LENGTH) : ''];
};

/** The labels of a session, sorted by name; `undefined` if there are none. */
export const readLabels = (issues: IssueList, value: unknown): SessionLabels | undefined => {
  if (value === undefined || value === null) return undefined;
  const entries = Object.entries(readFields(issues, 'labels', value));
  issues.check(entries.length <= MAX_LABELS, 'labels', `must be at most ${MAX_LABELS}`);
  if (entries.length === 0) return undefined;
  const labels = entries.slice(0, MAX_LABELS).map(([name, label]) => readLabel(issues, 'labels', name, label));
  return Object.freeze(Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))));
};

/** The one label of the sessions to list. */
export const readLabelFilter = (
  issues: IssueList,
  value: unknown,
): { readonly name: string; readonly value: string } | undefined => {
  if (value === undefined) return undefined;
  const entries = Object.entries(readFields(issues, 'label', value));
  issues.check(entries.length === 1, 'label', "must be exactly one label, such as { user: 'u-1' }");
  const [name, label] = readLabel(issues, 'label', ...(entries[0] ?? ['-', '-']));
  return { name, value: label };
};
