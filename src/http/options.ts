import type { IssueList } from '../input/issues.js';
import { readOptions } from '../input/read-options.js';
import { isFields, readListener, readNumber, readWhole } from '../input/values.js';
import { isLogger, type Logger, log, logFailure, loggerRule } from '../logger.js';
import { wireForm } from '../wire.js';
import { AnswerBudget } from './answer-budget.js';
import type { Authenticate, DeniedRequest } from './authenticate.js';
import { type DescriptionServing, type OpenApiServing, readServing } from './description.js';
import type { HandlerError } from './errors.js';
import { type Inspector, isInspector } from './inspector.js';
import { OpenStreams } from './open-streams.js';
import { statusOf } from './problem.js';
import type { Switches } from './routes.js';
import type { HandlerSettings } from './settings.js';
import { SnapshotTexts } from './snapshot-texts.js';
import type { Sessions, TenantCommands, TenantEvents, TenantHistories, TenantSessions } from './tenant-sessions.js';

/** How the events are served. */
export interface EventsOptions {
  /** Milliseconds after which a line is sent where nothing happens, 1,000 to 300,000. Default: 15,000. */
  readonly heartbeatMs?: number;
  /** The most streams that are open at the same time; beyond, the answer is 503. Default: 10,000. */
  readonly maxStreams?: number;
  /** The most of them that are of one tenant, 1 to `maxStreams`. Default: 1,000, or `maxStreams` where that is less. */
  readonly maxStreamsPerTenant?: number;
}

interface SharedOptions {
  /** Gives the tenant whose sessions a request may reach: `staticApiKeys([...])`, or a function of the host's own. */
  readonly authenticate: Authenticate;
  /** Bytes in a request's body. Default: 256 KiB. */
  readonly maxBodyBytes?: number;
  /**
   * Bytes in all answers that are being prepared or that clients have not taken yet; half of it for one tenant. Beyond,
   * a list or get is answered with 503 and `Retry-After`. Default: 32 MiB.
   */
  readonly maxPendingBytes?: number;
  /** Milliseconds that the authenticator, and after it the store, may take; then the answer is 503. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * Serves an OpenAPI document at `GET /openapi.json`: `openApiDocument` of `colloquy/openapi` as it is, or a function
   * around it. Whoever has an API key may see it, with `{ document, public: true }` everybody. Default: none.
   */
  readonly openapi?: OpenApiServing;
  /** Told of every error that is answered with a status of 500 or above, with the cause that the answer hides. */
  readonly onError?: (error: HandlerError) => void;
  /** Told of every request that is answered with 401. Counting wrong keys is up to the host. */
  readonly onDenied?: (denied: DeniedRequest) => void;
  /**
   * Told the same: of errors as `error`, of a wrong key as `warn`, of a missing one as `info`. `pino()`, `console` and the
   * like.
   */
  readonly logger?: Logger;
}

/**
 * What a session handler is made with. With `commands: true` it also serves `POST /start-session/{session_id}`,
 * `/pause-session`, `/resume-session`, `/terminate-session`, `/fail-session`, `/append-history` and `/delete-session`,
 * to whoever has an API key. With `events: true`, over a store that tells its events, it serves
 * `GET /session/{session_id}/events` as Server-Sent Events. With an `inspector`, which `createInspector` of
 * `colloquy/inspector` makes, it serves that under `/inspector`. Default: create, list and get alone.
 */
export type SessionHandlerOptions = SharedOptions &
  (
    | { readonly sessions: Sessions<TenantSessions & TenantCommands>; readonly commands?: boolean }
    | { readonly sessions: Sessions<TenantSessions>; readonly commands?: false }
  ) &
  (
    | { readonly sessions: Sessions<TenantSessions & TenantEvents>; readonly events?: boolean | EventsOptions }
    | { readonly sessions: Sessions<TenantSessions>; readonly events?: false }
  ) &
  (
    | { readonly sessions: Sessions<TenantSessions & TenantHistories & TenantCommands>; readonly inspector?: Inspector }
    | { readonly sessions: Sessions<TenantSessions>; readonly inspector?: undefined }
  );

const DEFAULT_BODY_BYTES = 256 * 1024;
const DEFAULT_PENDING_BYTES = 32 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_HEARTBEAT_MS = 15_000;
const LEAST_HEARTBEAT_MS = 1000;
const MOST_HEARTBEAT_MS = 300_000;
const DEFAULT_STREAMS = 10_000;
const DEFAULT_STREAMS_PER_TENANT = 1000;
/** The longest that a timer takes. */
const MOST_TIMEOUT_MS = 2 ** 31 - 1;

export const readAuthenticate = <A extends (...args: never) => unknown>(
  issues: IssueList,
  authenticate: A,
  maker: string,
): A => {
  issues.check(typeof authenticate === 'function', 'authenticate', `must be a function, or what ${maker} gives`);
  return authenticate;
};

const readEvents = (issues: IssueList, given: unknown): Required<EventsOptions> => {
  const isSwitch = given === undefined || typeof given === 'boolean';
  issues.check(isSwitch || isFields(given), 'events', 'must be true, false, or an object of options');
  const options = isFields(given) ? given : {};
  const { heartbeatMs = DEFAULT_HEARTBEAT_MS, maxStreams = DEFAULT_STREAMS } = options;
  const most = readWhole(issues, 'events.maxStreams', maxStreams, 1);
  const { maxStreamsPerTenant = Math.min(DEFAULT_STREAMS_PER_TENANT, most) } = options;
  const mostPerTenant = readWhole(issues, 'events.maxStreamsPerTenant', maxStreamsPerTenant, 1);
  issues.check(mostPerTenant <= most, 'events.maxStreamsPerTenant', 'must be at most events.maxStreams');
  return {
    heartbeatMs: readNumber(issues, 'events.heartbeatMs', heartbeatMs, LEAST_HEARTBEAT_MS, MOST_HEARTBEAT_MS),
    maxStreams: most,
    maxStreamsPerTenant: mostPerTenant,
  };
};

const readSwitch = (issues: IssueList, name: string, given: unknown): boolean => {
  issues.check(given === undefined || typeof given === 'boolean', name, 'must be true or false');
  return given === true;
};

/** The options of a handler, read and with their defaults. */
export interface HandlerOptions {
  readonly settings: HandlerSettings;
  readonly switches: Switches;
  readonly inspector: Inspector | undefined;
  readonly openapi: DescriptionServing | undefined;
  readonly report: (error: HandlerError) => void;
}

const optionNames = {
  sessions: true,
  authenticate: true,
  maxBodyBytes: true,
  maxPendingBytes: true,
  timeoutMs: true,
  commands: true,
  events: { heartbeatMs: true, maxStreams: true, maxStreamsPerTenant: true },
  inspector: true,
  openapi: { document: true, public: true },
  onError: true,
  onDenied: true,
  logger: true,
} as const;

const readAll = (issues: IssueList, options: SessionHandlerOptions): HandlerOptions => {
  const { sessions, authenticate, commands, events, inspector, openapi, logger } = options;
  const { maxPendingBytes = DEFAULT_PENDING_BYTES } = options;
  const { maxBodyBytes = DEFAULT_BODY_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { heartbeatMs, ...limits } = readEvents(issues, events);
  const onError = readListener(issues, 'onError', options.onError);
  const onDenied = readListener(issues, 'onDenied', options.onDenied);
  const serves = isFields(sessions) && typeof sessions['forTenant'] === 'function';
  issues.check(serves, 'sessions', 'must be a SessionService');
  issues.check(inspector === undefined || isInspector(inspector), 'inspector', 'must be what createInspector gives');
  issues.check(logger === undefined || isLogger(logger), 'logger', loggerRule);
  return {
    switches: {
      commands: readSwitch(issues, 'commands', commands),
      events: events === true || isFields(events),
    },
    inspector,
    openapi: readServing(issues, openapi),
    report: (error) => {
      const status = statusOf(error);
      if (status < 500) return;
      if (logger !== undefined) logFailure(logger, error, { status });
      onError(error);
    },
    settings: {
      sessions,
      authenticate: readAuthenticate(issues, authenticate, 'staticApiKeys'),
      tellDenied: (denied) => {
        if (logger !== undefined) log(logger, denied.reason === 'wrong' ? 'warn' : 'info', denied, 'unauthenticated');
        onDenied(denied);
      },
      maxBodyBytes: readWhole(issues, 'maxBodyBytes', maxBodyBytes, 1),
      form: wireForm,
      budget: new AnswerBudget(readWhole(issues, 'maxPendingBytes', maxPendingBytes, 1)),
      heartbeatMs,
      streams: new OpenStreams(limits),
      texts: new SnapshotTexts(),
      timeoutMs: readNumber(issues, 'timeoutMs', timeoutMs, 1, MOST_TIMEOUT_MS),
    },
  };
};

export const readHandlerOptions = (options: SessionHandlerOptions): HandlerOptions =>
  readOptions('createSessionHandler', options, optionNames, (issues) => readAll(issues, options));
