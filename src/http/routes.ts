/** One of the three operations of `interface.md` part 4, with what its path and query carry, still encoded. */
export type Route =
  | { readonly operation: 'create' }
  | { readonly operation: 'list'; readonly query: string }
  | { readonly operation: 'get'; readonly encodedId: string };

/** The methods that an operation's path knows, as the `Allow` header writes them. */
export const allowedMethods = {
  create: 'POST',
  list: 'GET, HEAD',
  get: 'GET, HEAD',
} as const satisfies Record<Route['operation'], string>;

export const isAllowed = (operation: Route['operation'], method: string): boolean =>
  operation === 'create' ? method === 'POST' : method === 'GET' || method === 'HEAD';

const GET_PREFIX = '/session/';

/** The operation that a path and query ask for. Paths are exact: no other case, no slash at the end. */
export const matchRoute = (url: string): Route | undefined => {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (path === '/sessions') return { operation: 'list', query: mark < 0 ? '' : url.slice(mark + 1) };
  if (path === '/create-session') return { operation: 'create' };
  if (!path.startsWith(GET_PREFIX)) return undefined;
  const encodedId = path.slice(GET_PREFIX.length);
  return encodedId === '' || encodedId.includes('/') ? undefined : { operation: 'get', encodedId };
};
