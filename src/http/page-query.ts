import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { PAGE_LIMIT } from '../limits.js';
import { wireNames } from '../wire.js';

/** Which page, as the service takes it; what is given as text is the service's to check. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  readonly order?: string | undefined;
  readonly status?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly after?: string | undefined;
  readonly historyLimit?: number | undefined;
}

const firstPage: PageQuery = Object.freeze({});

const wholeNumber = /^(?:0|[1-9]\d*)$/;

const readText = (issues: IssueList, parameters: URLSearchParams, name: string): string | undefined => {
  const text = parameters.get(name);
  if (text === null) return undefined;
  issues.check(parameters.getAll(name).length === 1, name, 'must be given once');
  return text;
};

const readNumber = (
  issues: IssueList,
  parameters: URLSearchParams,
  name: string,
  { least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number },
): number | undefined => {
  const text = readText(issues, parameters, name);
  if (text === undefined) return undefined;
  const fits = wholeNumber.test(text) && Number(text) >= least;
  issues.check(fits, name, `must be a whole number, at least ${least}, in decimal digits`);
  return Math.min(Number(text), most);
};

const readHistoryLimit = (issues: IssueList, parameters: URLSearchParams) =>
  readNumber(issues, parameters, wireNames.historyLimit, { least: 0 });

/** The parameters of the list's query; those of other names are ignored. */
export const readPageQuery = (query: string): Result<PageQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    if (query === '') return firstPage;
    const parameters = new URLSearchParams(query);
    return {
      limit: readNumber(issues, parameters, 'limit', { least: 1, most: PAGE_LIMIT }),
      page: readNumber(issues, parameters, 'page', { least: 1 }),
      order: readText(issues, parameters, wireNames.order),
      status: readText(issues, parameters, wireNames.status),
      createdAfter: readText(issues, parameters, wireNames.createdAfter),
      createdBefore: readText(issues, parameters, wireNames.createdBefore),
      after: readText(issues, parameters, wireNames.after),
      historyLimit: readHistoryLimit(issues, parameters),
    };
  });

/** The parameters of a get's query. */
export const readGetQuery = (query: string): Result<Pick<PageQuery, 'historyLimit'>, InvalidInput> =>
  readSafely('query', (issues) => ({ historyLimit: readHistoryLimit(issues, new URLSearchParams(query)) }));
