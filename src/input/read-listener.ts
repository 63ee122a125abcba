import { harmless } from '../harmless.js';
import type { IssueList } from './issues.js';

/** A listener of the host, which may be missing and can do no harm. */
export const readListener = <T>(
  issues: IssueList,
  name: string,
  listener: ((value: T) => unknown) | undefined,
): ((value: T) => void) => {
  issues.check(listener === undefined || typeof listener === 'function', name, 'must be a function');
  return harmless(listener);
};
