import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { IssueList, readArguments } from './issue-list.js';

export type { IssueList } from './issue-list.js';

/** Reads the arguments of an operation. Never throws. */
export const readSafely = <T>(path: string, read: (issues: IssueList) => T): Result<T, InvalidInput> => {
  const reading = readArguments(path, read, new IssueList());
  return 'value' in reading ? ok(reading.value) : err(reading);
};
