import { IssueList } from './issue-list.js';
import type { Schema } from './schema.js';

/** Reads a value from the wire; undefined if it has another form. */
export const received = <T>({ read }: Schema<T>, value: unknown): T | undefined => {
  const issues = new IssueList(1);
  const found = read(issues, '', value);
  return issues.found.length === 0 ? found : undefined;
};
