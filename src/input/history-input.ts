import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { DEFAULT_HISTORY_LIMIT, HISTORY_LIMIT } from '../limits.js';
import type { HistorySlice } from '../store.js';
import { type IssueList, readSafely } from './issues.js';
import { isFields, readWhole } from './values.js';

const readCount = (issues: IssueList, path: string, value: unknown = DEFAULT_HISTORY_LIMIT): number => {
  const count = readWhole(issues, path, value, 1);
  issues.check(count <= HISTORY_LIMIT, path, `must be at most ${HISTORY_LIMIT}`);
  return count;
};

/** Which part of a history to read. More at a time than the most is refused and not cut, for a caller may count on it. */
export const readHistoryQuery = (query: unknown): Result<HistorySlice, InvalidInput> =>
  readSafely('query', (issues) => {
    issues.check(isFields(query), 'query', 'must be an object');
    const { last, after, limit } = isFields(query) ? query : {};
    if (after === undefined) {
      issues.check(
        limit === undefined,
        'limit',
        'is for a part behind a position: give `after` too, or `last` instead',
      );
      return { last: readCount(issues, 'last', last) };
    }
    issues.check(last === undefined, 'last', 'cannot be given with `after`');
    return {
      after: readWhole(issues, 'after', after, 0),
      limit: readCount(issues, 'limit', limit),
    };
  });
