import { hasId, type Operation, percentEncode } from '../endpoints/endpoint.js';
import type { IssueList } from '../schema/issue-list.js';

type Path = Pick<Operation, 'path'>;

export interface Match<R> {
  readonly route: R;
  /** The session id, still percent-encoded; empty if the path has none. */
  readonly encodedId: string;
  readonly query: string;
}

/** Finds the route of a URL. Paths are exact: case matters, and there is no slash at the end. */
export type Router<R> = (url: string) => Match<R> | undefined;

const segment = '/[^/{}*?#]+';

/** A first segment, then either `/*`, or an optional id and further segments. */
const routable = new RegExp(`^${segment}(?:/\\*|(?:/\\{session_id\\})?(?:${segment})*)$`);

export const checkPaths = (
  issues: IssueList,
  routes: readonly { readonly operation: Path }[],
): void => {
  const paths = routes.map(({ operation }) => operation.path);
  for (const [at, path] of paths.entries()) {
    issues.check(
      routable.test(path),
      'routes',
      `must not have the path ${path}, which is not a valid path of a route`,
    );
    issues.check(paths.indexOf(path) === at, 'routes', `must not have the path ${path} twice`);
  }
};

/** Whether a path receives every method and every path below its first segment. */
export const isOpen = ({ path }: Path): boolean => path.endsWith('/*');

const parts = /^(\/[^/]*)(?:\/([^/]*)(.*))?$/s;

export const routerOf = <R extends { readonly operation: Path }>(
  routes: readonly R[],
): Router<R> => {
  const byPath: ReadonlyMap<string, R> = new Map(
    routes.map((route) => [route.operation.path, route]),
  );
  return (url) => {
    const [path = ''] = url.split('?', 1);
    const query = url.slice(path.length + 1);
    const fixed = byPath.get(path);
    if (fixed !== undefined && !hasId(fixed.operation))
      return { route: fixed, encodedId: '', query };
    const [, first = '', encodedId = '', rest = ''] = parts.exec(path) ?? [];
    const named = byPath.get(`${first}/{session_id}${rest}`);
    if (named !== undefined && encodedId !== '') return { route: named, encodedId, query };
    const open = byPath.get(`${first}/*`);
    return open && { route: open, encodedId: '', query };
  };
};

/**
 * Characters that a path must not contain (RFC 3986, 3.3). They could end a `Link` target or a
 * header early.
 */
const nonPath = /[^\w\-.~!$&'()*+,;=:@%/]/gu;

/** Normalises the prefix of a mount: `/api` for `api`, `/api` and `/api/`; empty for the root. */
export const tidyPrefix = (prefix: string): string => {
  if (prefix === '') return '';
  const segments = prefix.split('/').filter((each) => each !== '');
  return segments.map((each) => `/${each.replace(nonPath, percentEncode)}`).join('');
};

/** The path after a normalised prefix; undefined if the URL does not start with it. */
export const withoutPrefix = (url: string, prefix: string): string | undefined => {
  if (prefix === '') return url;
  const isBelow = url.startsWith(prefix) && url[prefix.length] === '/';
  return isBelow ? url.slice(prefix.length) : undefined;
};
