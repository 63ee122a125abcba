import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { isFields, readWhole } from '../input/values.js';
import { wireNames } from '../wire.js';

/** Where a page is, and its number where it is asked for by that. */
export interface PagePath {
  readonly path: string;
  readonly page: number | undefined;
}

const names = {
  limit: 'limit',
  page: 'page',
  order: wireNames.order,
  status: wireNames.status,
  createdAfter: wireNames.createdAfter,
  createdBefore: wireNames.createdBefore,
  after: wireNames.after,
  historyLimit: wireNames.historyLimit,
};

const textOf = (issues: IssueList, name: string, value: unknown): string => {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const isPlain = typeof value === 'string' || typeof value === 'number';
  issues.check(isPlain, name, 'must be a string, a number or a Date');
  return isPlain ? String(value) : '';
};

/** The query of a list in a path. Its values are the engine's to check. */
export const readPagePath = (query: unknown): Result<PagePath, InvalidInput> =>
  readSafely('query', (issues) => {
    issues.check(isFields(query), 'query', 'must be an object');
    const fields = isFields(query) ? query : {};
    const parameters = new URLSearchParams();
    for (const [name, wireName] of Object.entries(names)) {
      const value = fields[name];
      if (value !== undefined) parameters.set(wireName, textOf(issues, name, value));
    }
    const text = parameters.toString();
    const { page = 1, after } = fields;
    return {
      path: text === '' ? '/sessions' : `/sessions?${text}`,
      page: after === undefined ? readWhole(issues, 'page', page, 1) : undefined,
    };
  });
