import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT } from '../limits.js';

/** Which page, in numbers that the service takes. */
export interface PageQuery {
  readonly limit: number;
  readonly page: number;
}

const firstPage: PageQuery = Object.freeze({ limit: DEFAULT_PAGE_LIMIT, page: 1 });

const wholeNumber = /^[1-9]\d*$/;

const readParameter = (issues: IssueList, parameters: URLSearchParams, name: keyof PageQuery, most: number): number => {
  const [text, ...more] = parameters.getAll(name);
  if (text === undefined) return firstPage[name];
  issues.check(more.length === 0, name, 'must be given once');
  issues.check(wholeNumber.test(text), name, 'must be a whole number, at least 1, in decimal digits');
  return Math.min(Number(text), most);
};

/** `limit` and `page` of the list's query; parameters of other names are ignored. */
export const readPageQuery = (query: string): Result<PageQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    if (query === '') return firstPage;
    const parameters = new URLSearchParams(query);
    return {
      limit: readParameter(issues, parameters, 'limit', PAGE_LIMIT),
      page: readParameter(issues, parameters, 'page', Number.MAX_SAFE_INTEGER),
    };
  });
