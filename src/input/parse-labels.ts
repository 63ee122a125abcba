import { RESERVED_PREFIX } from '../session/exhausted-work.js';
import { sortedLabels } from '../session/labels.js';
import type { LabelChanges, SessionLabels } from '../session/session.js';
import { LABEL_NAME_LENGTH, LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/session-limits.js';
import { isFields, parseFields, parseName } from './parse-fields.js';
import type { IssueList } from './parse-safely.js';

/**
 * Whether a value has the form of labels. Limits are not checked: stored labels were checked when
 * they were given.
 */
export const isLabels = (value: unknown): value is SessionLabels =>
  isFields(value) && Object.values(value).every((label) => typeof label === 'string');

export const labelNameForm = /^[A-Za-z0-9_.-]{1,64}$/;

const isReserved = (name: string): boolean => name.startsWith(RESERVED_PREFIX);

/** Reports labels that only the engine sets. */
const checkFree = (issues: IssueList, entries: readonly (readonly [string, unknown])[]): void => {
  const rule = `must have no names that begin with ${RESERVED_PREFIX}, which only the engine sets`;
  issues.check(!entries.some(([name]) => isReserved(name)), 'labels', rule);
};

const parseLabel = (
  issues: IssueList,
  path: string,
  name: string,
  value: unknown,
): readonly [string, string] => {
  const rule = `must have names of 1 to ${LABEL_NAME_LENGTH} of the characters A-Z a-z 0-9 _ . -`;
  const isNamed = labelNameForm.test(name);
  issues.check(isNamed, path, rule);
  // The error does not repeat a wrong name, which may contain anything.
  return [name, isNamed ? parseName(issues, `${path}.${name}`, value, LABEL_VALUE_LENGTH) : ''];
};

/** The labels of a session, sorted by name; `undefined` if there are none. */
export const parseLabels = (issues: IssueList, value: unknown): SessionLabels | undefined => {
  if (value === undefined || value === null) return undefined;
  const entries = Object.entries(parseFields(issues, 'labels', value));
  issues.check(entries.length <= MAX_LABELS, 'labels', `must be at most ${MAX_LABELS}`);
  if (entries.length === 0) return undefined;
  checkFree(issues, entries);
  return sortedLabels(
    entries.slice(0, MAX_LABELS).map(([name, label]) => parseLabel(issues, 'labels', name, label)),
  );
};

/**
 * Labels to set, and with `null` to remove; at most all that a session has, plus as many new ones.
 * Sorted by name.
 */
export const parseLabelChanges = (issues: IssueList, value: unknown): LabelChanges => {
  const most = 2 * MAX_LABELS;
  const entries = Object.entries(parseFields(issues, 'labels', value));
  issues.check(entries.length <= most, 'labels', `must be at most ${most}`);
  checkFree(issues, entries);
  const changes = entries.slice(0, most).map(([name, label]) => {
    const [parsed, text] = parseLabel(issues, 'labels', name, label === null ? '-' : label);
    return [parsed, label === null ? null : text] as const;
  });
  return Object.fromEntries(changes.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The labels that listed sessions must have. */
export const parseLabelFilter = (issues: IssueList, value: unknown): SessionLabels | undefined => {
  if (value === undefined) return undefined;
  const entries = Object.entries(parseFields(issues, 'labels', value));
  const fits = entries.length >= 1 && entries.length <= MAX_LABELS;
  issues.check(fits, 'labels', `must be 1 to ${MAX_LABELS} labels, such as { user: 'u-1' }`);
  return sortedLabels(
    entries.slice(0, MAX_LABELS).map(([name, label]) => parseLabel(issues, 'labels', name, label)),
  );
};
