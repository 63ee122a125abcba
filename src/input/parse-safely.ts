import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { IssueList, parseArguments } from './issue-list.js';

/** Parses the arguments of an operation. Never throws. */
export const parseSafely = <T>(
  path: string,
  parse: (issues: IssueList) => T,
): Result<T, InvalidInput> => {
  const parsed = parseArguments(path, parse, new IssueList());
  if ('value' in parsed) return ok(parsed.value);
  return err(parsed);
};
