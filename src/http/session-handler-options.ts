import type { AnyOperation } from '../endpoints/endpoint.js';
import { servedCreate, servedOpenedCreate } from '../endpoints/session-endpoints.js';
import type { Sessions, TenantSessions } from '../endpoints/tenant-sessions.js';
import { type SessionForm, type ShownFields, wireForm } from '../endpoints/wire-session.js';
import { functionOf, having, listener, signal } from '../schema/host-values.js';
import type { IssueList } from '../schema/issue-list.js';
import { optionsOf } from '../schema/options-of.js';
import { type OutOf, optional, type Schema } from '../schema/schema.js';
import { milliseconds, onOrOff, whole } from '../schema/values.js';
import type { WatchSignal } from '../session/session-event.js';
import { answerFromService } from './answer-from-service.js';
import { type HandlerError, statusOf } from './handler-error.js';
import { type Logger, log, logFailure, loggerSchema } from './logger.js';
import { OpenStreams } from './open-streams.js';
import type { AnsweredRoute, HandlerContext, Route, RouteGroup } from './route.js';
import { routeGroups } from './route-groups.js';
import { checkPaths } from './router-of.js';
import type { Authenticate, DeniedRequest } from './session-handler.js';
import { sessionRoutes } from './session-routes.js';
import { TenantQuota } from './tenant-quota.js';

/**
 * Options of `createSessionHandler`. `S` is the part of a tenant's sessions that the routes need.
 *
 * @example
 * ```ts
 * const handler = createSessionHandler({
 *   sessions,
 *   authenticate: staticApiKeys([{ key: 'key-1', tenant: 'acme' }]),
 *   routes: [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes()],
 *   logger: console,
 *   onError: ({ type }) => console.error('answered with 500 or above:', type),
 *   onDenied: ({ path, reason }) => console.warn(reason, 'key for', path),
 * });
 * ```
 *
 * @example
 * ```ts
 * const handler = createSessionHandler({
 *   sessions,
 *   authenticate: (key) => (key === 'key-1' ? 'acme' : undefined), // or ask your database
 *   labels: true,
 *   metadata: true,
 *   sessionTimes: true,
 *   entryData: true,
 * });
 * ```
 *
 * @example
 * ```ts
 * const handler = createSessionHandler({
 *   sessions,
 *   authenticate: staticApiKeys([{ key: 'key-1', tenant: 'acme' }]),
 *   timeoutMs: 5000,
 *   maxBodyBytes: 64 * 1024,
 *   maxPendingBytes: 8 * 1024 * 1024,
 * });
 * ```
 *
 * @example
 * ```ts
 * const authenticate = staticApiKeys([{ key: 'key-1', tenant: 'acme' }]);
 * const handler = createSessionHandler({
 *   ...{ sessions, authenticate },
 *   origin: true,
 *   work: true,
 *   usage: true,
 * });
 * ```
 *
 * @example
 * ```ts
 * const stopping = new AbortController();
 * const { signal } = stopping;
 * const handler = createSessionHandler({ sessions, authenticate: () => 'acme', signal });
 * stopping.abort(); // ends the event streams
 * ```
 */
export interface SessionHandlerOptions<S extends TenantSessions = TenantSessions> {
  /** A `SessionService`. */
  readonly sessions: Sessions<S>;
  /**
   * Returns the tenant whose sessions a request may access: `staticApiKeys([...])`, or a function
   * of your own.
   */
  readonly authenticate: Authenticate;
  /**
   * Routes beyond create, list and get: `[commandRoutes(), historyRoutes(), messageRoutes(),
   * eventRoutes()]` of this subpath, `inspectorRoutes` of `colloquy/inspector`, `openApiRoute` of
   * `colloquy/openapi`, and your own. Default: none.
   */
  readonly routes?: readonly RouteGroup<NoInfer<S>>[] | undefined;
  /** Send sessions with their labels, as a seventh field `labels`. Default: false. */
  readonly labels?: boolean | undefined;
  /** Send sessions with their `metadata` and their `revision`. Default: false. */
  readonly metadata?: boolean | undefined;
  /**
   * Send sessions with `started_at`, `ends_at`, `ended_at`, `updated_at` and `duration_ms`.
   * Default: false.
   */
  readonly sessionTimes?: boolean | undefined;
  /** Send forks with their `origin`. Default: false. */
  readonly origin?: boolean | undefined;
  /**
   * Send sessions with the number of messages in their `inbox` and with their `work`, and session
   * events with the waiting messages. Default: false.
   */
  readonly work?: boolean | undefined;
  /** Send sessions with their `usage` and their `budget`. Default: false. */
  readonly usage?: boolean | undefined;
  /**
   * Send the history entries of sessions with their `id`, `data`, `turn` and `message`, if present.
   * History parts and events always contain them. Default: false.
   */
  readonly entryData?: boolean | undefined;
  /** Maximum bytes in a request body, from 1. Default: 256 KiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Maximum bytes of all responses that are not yet received, and of the pages and sessions that
   * are being read for them; a tenant may use half. Above it, reads return 503 with `Retry-After`.
   * From 1; default: 32 MiB.
   */
  readonly maxPendingBytes?: number | undefined;
  /**
   * Timeout of the authenticator, and then of the store, in milliseconds, 1 to 2147483647;
   * after it, requests return 503. Default: 10,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Ends all event streams and all waits for answers when aborted, so that a server can close.
   * Clients then continue at another process. Default: streams end with their sessions or
   * connections.
   */
  readonly signal?: WatchSignal | undefined;
  /**
   * Called for each 5xx response with the error and its `cause`, which the response does not
   * contain. Default: ignored.
   */
  readonly onError?: ((error: HandlerError) => void) | undefined;
  /**
   * Called for each 401 response, for example to count wrong keys. Default: ignored.
   */
  readonly onDenied?: ((denied: DeniedRequest) => void) | undefined;
  /**
   * Logs the errors of `onError` as `error`, a wrong key as `warn`, and a missing key as `info`.
   * For example `pino()` or `console`. Default: nothing is logged.
   */
  readonly logger?: Logger | undefined;
}

export interface HandlerSettings<S> {
  readonly sessions: Sessions<S>;
  readonly authenticate: Authenticate;
  readonly routes: readonly AnsweredRoute<S>[];
  readonly form: SessionForm;
  readonly context: Omit<HandlerContext, 'serve'>;
  readonly onDenied: (denied: DeniedRequest) => void;
}

const withOwnRoutes = <R extends { readonly operation: Pick<AnyOperation, 'name' | 'path'> }>(
  groups: readonly (readonly R[])[],
): readonly (R | Route)[] => {
  const given = groups.flat();
  // By name, because a group of routes may come from another copy of this package.
  const isOpened = given.some(({ operation }) => operation.name === servedOpenedCreate.name);
  const own = sessionRoutes.filter(({ operation }) => !isOpened || operation !== servedCreate);
  return [...own, ...given];
};

const reportingOf = (
  logger: Logger | undefined,
  { onError, onDenied }: Pick<OutOf<typeof handlerOptionSchemas>, 'onError' | 'onDenied'>,
) => {
  const levels = { wrong: 'warn', missing: 'info' } as const;
  return {
    report: (error: HandlerError): void => {
      const status = statusOf(error.type);
      // The end of a wait is not a failure of the service.
      if (status < 500 || error.type === 'not_answered') return;
      if (logger !== undefined) logFailure(logger, error, { status });
      onError(error);
    },
    onDenied: (denied: DeniedRequest): void => {
      if (logger !== undefined) log(logger, levels[denied.reason], denied, 'unauthenticated');
      onDenied(denied);
    },
  };
};

const shownFields = {
  labels: onOrOff,
  metadata: onOrOff,
  sessionTimes: onOrOff,
  origin: onOrOff,
  work: onOrOff,
  usage: onOrOff,
  entryData: onOrOff,
} satisfies Readonly<Record<keyof ShownFields, Schema<boolean>>>;

export const handlerOptionSchemas = {
  sessions: having('must be a SessionService', 'forTenant'),
  authenticate: functionOf('must be a function, such as the result of staticApiKeys'),
  routes: routeGroups,
  ...shownFields,
  maxBodyBytes: optional(whole(1), 256 * 1024),
  maxPendingBytes: optional(whole(1), 32 * 1024 * 1024),
  timeoutMs: optional(milliseconds, 10_000),
  signal,
  onError: listener,
  onDenied: listener,
  logger: optional(loggerSchema),
} satisfies Readonly<Record<keyof SessionHandlerOptions, Schema<unknown>>>;

export const checkRoutes = (
  issues: IssueList,
  { routes }: Pick<OutOf<typeof handlerOptionSchemas>, 'routes'>,
): void => checkPaths(issues, withOwnRoutes(routes));

const readOptions = optionsOf('createSessionHandler', handlerOptionSchemas, checkRoutes);

export const parseHandlerOptions = <S extends TenantSessions>(
  options: SessionHandlerOptions<S>,
): HandlerSettings<S> => {
  const read = readOptions(options);
  const { sessions, authenticate, routes: groups = [] } = options;
  const { report, onDenied } = reportingOf(read.logger, read);
  const routes = withOwnRoutes(groups).map((route) => ({
    ...route,
    answer: route.answer ?? answerFromService(route.operation),
  }));
  return {
    sessions,
    authenticate,
    routes,
    form: wireForm(read),
    onDenied,
    context: {
      routes,
      policy: sessions.policy,
      maxBodyBytes: read.maxBodyBytes,
      timeoutMs: read.timeoutMs,
      streams: new OpenStreams(read.signal),
      pendingBytes: new TenantQuota(read.maxPendingBytes),
      report,
    },
  };
};
