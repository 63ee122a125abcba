import type { Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { isFields, readNumber, readWhole } from '../input/values.js';
import { isLogger, type Logger, loggerRule } from '../logger.js';
import type { Authenticate } from './api-keys.js';
import { checkServing, type OpenApiServing } from './description.js';
import type { HandlerError } from './errors.js';
import { type Inspector, isInspector } from './inspector.js';
import { OpenStreams } from './open-streams.js';
import { SessionWriter } from './session-writer.js';
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

/** Like `Authenticate`, of whatever it is given. */
type Ask<A> = (given: A) => ReturnType<Authenticate>;

interface SharedOptions {
  /** Whose API key it is. `staticApiKeys([...])` may stand here as it is: if it is an error, nobody is let in. */
  readonly authenticate: Authenticate | Result<Authenticate, InvalidInput>;
  /** Bytes in a request's body. Default: 256 KiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds that the authenticator, and after it the store, may take; then the answer is 503. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * Serves an OpenAPI document at `GET /openapi.json`: `openApiDocument` of `colloquy/openapi` as it is, or a function
   * around it. Whoever has an API key may see it, with `{ document, public: true }` everybody. Default: none.
   */
  readonly openapi?: OpenApiServing;
  /** Told of every error that is answered with a status of 500 or above, with the cause that the answer hides. */
  readonly onError?: (error: HandlerError) => void;
  /** Told the same as `onError`, as `error`: `pino()`, `console` and the like. */
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
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_HEARTBEAT_MS = 15_000;
const LEAST_HEARTBEAT_MS = 1000;
const MOST_HEARTBEAT_MS = 300_000;
const DEFAULT_STREAMS = 10_000;
const DEFAULT_STREAMS_PER_TENANT = 1000;
/** The longest that a timer takes. */
const MOST_TIMEOUT_MS = 2 ** 31 - 1;

const nobody = () => undefined;

/** An authenticator of whatever arguments, or what makes one and may have failed. */
export const readAuthenticate = <A>(
  issues: IssueList,
  given: Ask<A> | Result<Ask<A>, InvalidInput>,
  maker: string,
): Ask<A> => {
  if (typeof given === 'function') return given;
  if (!isFields(given) || typeof given['match'] !== 'function') {
    issues.check(false, 'authenticate', `must be a function, or what ${maker} gives`);
    return nobody;
  }
  return given.match<Ask<A>, Ask<A>>(
    (authenticate) => authenticate,
    (error) => {
      for (const { path, message } of error.issues) issues.check(false, path, message);
      return nobody;
    },
  );
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

export const readHandlerOptions = (options: SessionHandlerOptions): Result<HandlerSettings, InvalidInput> =>
  readSafely('options', (issues) => {
    const { sessions, authenticate, commands, events, inspector, onError, logger } = options;
    const { maxBodyBytes = DEFAULT_BODY_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const { heartbeatMs, ...limits } = readEvents(issues, events);
    const serves = isFields(sessions) && typeof sessions['forTenant'] === 'function';
    issues.check(serves, 'sessions', 'must be a SessionService');
    issues.check(commands === undefined || typeof commands === 'boolean', 'commands', 'must be true or false');
    const inspects = inspector === undefined || isInspector(inspector);
    issues.check(inspects, 'inspector', 'must be what createInspector gives');
    checkServing(issues, options.openapi);
    issues.check(logger === undefined || isLogger(logger), 'logger', loggerRule);
    issues.check(onError === undefined || typeof onError === 'function', 'onError', 'must be a function');
    return {
      sessions,
      authenticate: readAuthenticate(issues, authenticate, 'staticApiKeys'),
      maxBodyBytes: readWhole(issues, 'maxBodyBytes', maxBodyBytes, 1),
      writer: new SessionWriter(),
      heartbeatMs,
      streams: new OpenStreams(limits),
      texts: new SnapshotTexts(),
      timeoutMs: readNumber(issues, 'timeoutMs', timeoutMs, 1, MOST_TIMEOUT_MS),
    };
  });
