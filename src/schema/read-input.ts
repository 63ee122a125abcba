import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { IssueList, readArguments } from './issue-list.js';
import type { Schema } from './schema.js';

/** Reads the arguments of an operation. Never throws. */
export const readSafely = <T>(read: (issues: IssueList) => T): Result<T, InvalidInput> => {
  const answer = readArguments(new IssueList(), read);
  return 'value' in answer ? ok(answer.value) : err(answer);
};

/** The reader of the only argument of an operation, which `root` names in issues. */
export const inputOf =
  <T>(root: string, of: Schema<T>) =>
  (value: unknown): Result<T, InvalidInput> =>
    readSafely((issues) => issues.read(root, of, value));
