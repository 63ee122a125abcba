import type { IssueList } from '../input/issue-list.js';
import { isFields } from '../session/fields.js';

const isRoute = (value: unknown): boolean => {
  const { operation, answer } = isFields(value) ? value : {};
  if (!isFields(operation) || typeof operation['path'] !== 'string') return false;
  if (operation['method'] !== 'GET' && operation['method'] !== 'POST') return false;
  return typeof answer === 'function' || isFields(operation['calls']);
};

/** The routes of groups. */
export const parseGroups = <R>(
  issues: IssueList,
  groups: readonly (readonly R[])[] = [],
): readonly R[] => {
  const fits =
    Array.isArray(groups) && groups.every((group) => Array.isArray(group) && group.every(isRoute));
  issues.check(fits, 'routes', 'must be an array of groups of routes, such as commandRoutes()');
  return fits ? groups.flat() : [];
};
