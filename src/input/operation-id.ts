import { OPERATION_ID_LENGTH } from '../limits.js';
import type { IssueList } from './issues.js';

/** Of the characters that a URL and a header carry as they are. */
export const operationIdForm = /^[\w.~:-]+$/;

/** The name that a caller gives to one write, if any. */
export const readOperationId = (issues: IssueList, value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const fits = typeof value === 'string' && value.length <= OPERATION_ID_LENGTH && operationIdForm.test(value);
  issues.check(fits, 'operationId', `must be 1 to ${OPERATION_ID_LENGTH} of the characters A-Z a-z 0-9 _ . ~ : -`);
  return fits ? value : undefined;
};
