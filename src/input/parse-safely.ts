import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { IssueList, parseArguments } from './issue-list.js';

export type { IssueList } from './issue-list.js';

/** Parses the arguments of an operation. Never throws. */
export const parseSafely = <T>(
  path: string,
  parse: (issues: IssueList) => T,
): Result<T, InvalidInput> => {
  const parsed = parseArguments(path, parse, new IssueList());
  return 'value' in parsed ? ok(parsed.value) : err(parsed);
};
