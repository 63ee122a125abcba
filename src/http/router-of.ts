import type { IssueList } from '../input/read-safely.js';
import { hasId, type Operation } from '../operations/operation.js';
import type { Route } from './route.js';

/** The route of a URL, with the id and the query. */
export interface Match<R> {
  readonly route: R;
  /** The session id, still percent-encoded; undefined if the path has none. */
  readonly encodedId: string | undefined;
  readonly query: string;
}

const fixedPath = /^(?:\/[^/{}*?#]+)+$/;
const idPath = /^\/[^/{}*?#]+\/\{session_id\}(?:\/[^/{}*?#]+)*$/;
const openPath = /^\/[^/{}*?#]+\/\*$/;

/** Whether the router supports the form of a path. */
const isRoutable = (path: string): boolean => [fixedPath, idPath, openPath].some((form) => form.test(path));

/** Adds an issue for each unsupported path and each duplicate. */
export const checkPaths = (issues: IssueList, operations: readonly Pick<Operation, 'path'>[]): void => {
  const paths = operations.map(({ path }) => path);
  for (const [at, path] of paths.entries()) {
    issues.check(isRoutable(path), 'routes', `must not have the path ${path}, which has none of the forms of a route`);
    issues.check(paths.indexOf(path) === at, 'routes', `must not have the path ${path} twice`);
  }
};

const isOpen = ({ path }: Pick<Operation, 'path'>): boolean => path.endsWith('/*');

/** The methods of a path, in the form of the `Allow` header. */
export const allowedMethods = ({ method }: Pick<Operation, 'method'>): string =>
  method === 'GET' ? 'GET, HEAD' : method;

export const isAllowed = (operation: Pick<Operation, 'method' | 'path'>, method: string): boolean =>
  method === operation.method || (method === 'HEAD' && operation.method === 'GET') || isOpen(operation);

const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
};

/**
 * Creates a function that finds the route of a URL. Paths are exact: case matters, and there is no slash at the end.
 */
export const routerOf = <R extends Pick<Route<never>, 'operation'>>(
  routes: readonly R[],
): ((url: string) => Match<R> | undefined) => {
  const byPath = (kept: readonly R[], keyOf: (path: string) => string): ReadonlyMap<string, R> =>
    new Map(kept.map((route) => [keyOf(route.operation.path), route]));
  const fixed = byPath(
    routes.filter(({ operation }) => !hasId(operation) && !isOpen(operation)),
    (path) => path,
  );
  const withId = byPath(
    routes.filter(({ operation }) => hasId(operation)),
    (path) => path,
  );
  const open = byPath(
    routes.filter(({ operation }) => isOpen(operation)),
    firstSegment,
  );
  return (url) => {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const exact = fixed.get(path);
    if (exact !== undefined) return { route: exact, encodedId: undefined, query };
    const first = firstSegment(path);
    const idEnd = path.indexOf('/', first.length + 1);
    const encodedId = path.slice(first.length + 1, idEnd < 0 ? undefined : idEnd);
    const named = withId.get(`${first}/{session_id}${idEnd < 0 ? '' : path.slice(idEnd)}`);
    if (named !== undefined && encodedId !== '') return { route: named, encodedId, query };
    const under = open.get(first);
    return under && { route: under, encodedId: undefined, query };
  };
};
