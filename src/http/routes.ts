import type { CallerCommand } from '../status.js';

/** An operation that works on one session, whose id stands in the path, still encoded. */
interface OnSession<O extends string> {
  readonly operation: O;
  readonly encodedId: string;
}

/** What only a host that has switched the commands on serves. */
export type CommandRoute =
  | (OnSession<'move'> & { readonly command: CallerCommand })
  | OnSession<'append'>
  | OnSession<'delete'>;

/** An operation, with what its path and query carry: the three of `interface.md` part 4, the events, or a command. */
export type Route =
  | { readonly operation: 'create' }
  | { readonly operation: 'list'; readonly query: string }
  | (OnSession<'get'> & { readonly query: string })
  | OnSession<'events'>
  | CommandRoute;

/** The methods that an operation's path knows, as the `Allow` header writes them. */
export const allowedMethods = {
  create: 'POST',
  list: 'GET, HEAD',
  get: 'GET, HEAD',
  events: 'GET, HEAD',
  move: 'POST',
  append: 'POST',
  delete: 'POST',
} as const satisfies Record<Route['operation'], string>;

export const isAllowed = (operation: Route['operation'], method: string): boolean =>
  allowedMethods[operation] === 'POST' ? method === 'POST' : method === 'GET' || method === 'HEAD';

/** Where each operation is. The session's id is one segment, or there is none. */
export const pathTemplates = {
  create: '/create-session',
  list: '/sessions',
  get: '/session/{session_id}',
  events: '/session/{session_id}/events',
  start: '/start-session/{session_id}',
  pause: '/pause-session/{session_id}',
  resume: '/resume-session/{session_id}',
  terminate: '/terminate-session/{session_id}',
  fail: '/fail-session/{session_id}',
  append: '/append-history/{session_id}',
  delete: '/delete-session/{session_id}',
} as const satisfies Readonly<Record<Exclude<Route['operation'], 'move'> | CallerCommand, string>>;

const beforeId = (template: string): string => template.slice(0, template.indexOf('{'));
const behindId = (template: string): string => template.slice(template.indexOf('}') + 1);

const GET_PREFIX = beforeId(pathTemplates.get);
const EVENTS_SUFFIX = behindId(pathTemplates.events);

/** What the host has switched on besides create, list and get. */
export interface Switches {
  readonly commands: boolean;
  readonly events: boolean;
}

type Unplaced<R> = R extends CommandRoute ? Omit<R, 'encodedId'> : never;

const move = (command: CallerCommand) => ({ operation: 'move', command }) as const;

/** By what stands before the id. */
const commands: ReadonlyMap<string, Unplaced<CommandRoute>> = new Map<string, Unplaced<CommandRoute>>([
  [beforeId(pathTemplates.start), move('start')],
  [beforeId(pathTemplates.pause), move('pause')],
  [beforeId(pathTemplates.resume), move('resume')],
  [beforeId(pathTemplates.terminate), move('terminate')],
  [beforeId(pathTemplates.fail), move('fail')],
  [beforeId(pathTemplates.append), { operation: 'append' }],
  [beforeId(pathTemplates.delete), { operation: 'delete' }],
]);

/** The id behind a prefix: one segment of a path, not an empty one. */
const idBehind = (path: string, prefix: string): string | undefined => {
  const encodedId = path.slice(prefix.length);
  return encodedId === '' || encodedId.includes('/') ? undefined : encodedId;
};

const matchCommand = (path: string): Route | undefined => {
  const prefix = path.slice(0, path.indexOf('/', 1) + 1);
  const command = commands.get(prefix);
  const encodedId = command === undefined ? undefined : idBehind(path, prefix);
  return command === undefined || encodedId === undefined ? undefined : { ...command, encodedId };
};

/** One session, or its events. */
const matchSession = (path: string, query: string, hasEvents: boolean): Route | undefined => {
  const encodedId = idBehind(path, GET_PREFIX);
  if (encodedId !== undefined) return { operation: 'get', encodedId, query };
  if (!hasEvents || !path.endsWith(EVENTS_SUFFIX)) return undefined;
  const watchedId = idBehind(path.slice(0, -EVENTS_SUFFIX.length), GET_PREFIX);
  return watchedId === undefined ? undefined : { operation: 'events', encodedId: watchedId };
};

/** The operation that a path and query ask for. Paths are exact: no other case, no slash at the end. */
export const matchRoute = (url: string, { commands: hasCommands, events: hasEvents }: Switches): Route | undefined => {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  if (path === pathTemplates.list) return { operation: 'list', query };
  if (path === pathTemplates.create) return { operation: 'create' };
  if (path.startsWith(GET_PREFIX)) return matchSession(path, query, hasEvents);
  return hasCommands ? matchCommand(path) : undefined;
};
