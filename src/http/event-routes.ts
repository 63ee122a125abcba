import { err, ok, type Result } from 'neverthrow';
import { hasMethods, parseNumber, parseWhole } from '../input/parse-fields.js';
import { parseOptions } from '../input/parse-options.js';
import type { IssueList } from '../input/parse-safely.js';
import { END_ID, watch } from '../operations/event-shapes.js';
import type { TenantEvents } from '../operations/tenant-sessions.js';
import { type InvalidInput, invalidInput, notFound, storeUnavailable, type WatchError } from '../session/errors.js';
import { isPosition } from '../session/event-position.js';
import type { SessionChange, SessionSnapshot, WatchOptions } from '../session/session-event.js';
import { lacksMethod } from './answer-from-service.js';
import { inClientTerms } from './answer-of.js';
import { SnapshotFrames, streamHeaders } from './event-frame.js';
import { EventStream, endWatch, type OpenWatch } from './event-stream.js';
import { type HandlerError, refusal } from './handler-error.js';
import { queryParser } from './input-reader.js';
import type { Answer, Call, RouteGroup } from './route.js';
import type { HandlerRequest, HandlerResponse } from './session-handler.js';
import { shownHistoryLimit } from './session-routes.js';
import { TenantBudget } from './tenant-budget.js';
import { timedOut, withTimeout } from './with-timeout.js';

/** Options of `eventRoutes`. */
export interface EventRoutesOptions {
  /** Milliseconds without an event before a heartbeat is sent, 1,000 to 300,000. Default: 15,000. */
  readonly heartbeatMs?: number;
  /** Maximum number of open streams; above it, the response is 503. Default: 10,000. */
  readonly maxStreams?: number;
  /** Maximum number of open streams per tenant, 1 to `maxStreams`. Default: 1,000, or `maxStreams` if that is less. */
  readonly maxStreamsPerTenant?: number;
}

/** The options and their defaults. */
const defaults = { heartbeatMs: 15_000, maxStreams: 10_000, maxStreamsPerTenant: 1000 } as const;

const MIN_HEARTBEAT_MS = 1000;
const MAX_HEARTBEAT_MS = 300_000;

const parseEventOptions = (issues: IssueList, options: EventRoutesOptions): Required<EventRoutesOptions> => {
  const { heartbeatMs = defaults.heartbeatMs } = options;
  const maxStreams = parseWhole(issues, 'maxStreams', options.maxStreams ?? defaults.maxStreams, 1);
  const { maxStreamsPerTenant = Math.min(defaults.maxStreamsPerTenant, maxStreams) } = options;
  const perTenant = parseWhole(issues, 'maxStreamsPerTenant', maxStreamsPerTenant, 1);
  issues.check(perTenant <= maxStreams, 'maxStreamsPerTenant', 'must be at most maxStreams');
  return {
    heartbeatMs: parseNumber(issues, 'heartbeatMs', heartbeatMs, MIN_HEARTBEAT_MS, MAX_HEARTBEAT_MS),
    maxStreams,
    maxStreamsPerTenant: perTenant,
  };
};

/** A browser does not reconnect after a 204. */
const streamIsOver: HandlerResponse = Object.freeze({
  status: 204,
  headers: Object.freeze({ 'Cache-Control': 'no-store' }),
});

/** The id of the last event that a reconnecting client has received. */
const parseLastEventId = (request: HandlerRequest): Result<string | undefined, InvalidInput> => {
  const given = request.header('last-event-id');
  if (given === undefined || given === '') return ok(undefined);
  if (given === END_ID || isPosition(given)) return ok(given);
  return err(invalidInput([{ path: 'Last-Event-ID', message: 'must be the id of an event of this stream' }]));
};

const parseWatchQuery = queryParser(watch);

type First = Promise<IteratorResult<Result<SessionChange, WatchError>, unknown>>;

/** The error if the watch cannot begin; undefined if it can. */
const refusalOf = (begun: 'open' | typeof timedOut | Awaited<First>, id: string): HandlerError | undefined => {
  if (begun === 'open') return undefined;
  if (begun === timedOut) return storeUnavailable('the store took too long to answer', 'not_applied');
  if (begun.done === true) return notFound(id);
  if (begun.value.isErr()) return inClientTerms(watch, begun.value.error);
  return begun.value.value.type === 'session.deleted' ? notFound(id) : undefined;
};

/** Opens a watch. Errors are known before the response starts; after an error nothing stays open. */
const begin = async (
  { handler, sessions, id }: Call<TenantEvents>,
  options: Pick<WatchOptions, 'from' | 'warnBefore' | 'historyLimit'>,
): Promise<Result<{ readonly opened: OpenWatch; readonly first: First }, HandlerError>> => {
  const gone = new AbortController();
  let onOpen = (): void => undefined;
  const open = new Promise<'open'>((resolve) => {
    onOpen = () => resolve('open');
  });
  const changes = sessions.watch(id, { ...options, signal: gone.signal, onOpen })[Symbol.asyncIterator]();
  const first = changes.next();
  const refusal = refusalOf(await withTimeout(handler.timeoutMs, Promise.race([open, first])), id);
  if (refusal === undefined) return ok({ opened: { changes, gone }, first });
  endWatch({ changes, gone });
  first.catch(() => undefined);
  return err(refusal);
};

/**
 * Serves the events of a session as Server-Sent Events (HTML Living Standard, 9.2) at `GET
 * /session/{session_id}/events`, for `createSessionHandler({ routes: [eventRoutes()] })`. The store must have events.
 * Throws a `TypeError` that names every invalid or unknown option.
 */
export const eventRoutes = (options: EventRoutesOptions = {}): RouteGroup<TenantEvents> => {
  const { heartbeatMs, maxStreams, maxStreamsPerTenant } = parseOptions('eventRoutes', options, defaults, (issues) =>
    parseEventOptions(issues, options),
  );
  const streams = new TenantBudget(maxStreams, maxStreamsPerTenant);
  const snapshots = new SnapshotFrames();

  const stream = async (call: Call<TenantEvents>, onOver: () => void): Answer => {
    const { request, form, tenant, handler } = call;
    const from = parseLastEventId(request);
    if (from.isErr()) return err(from.error);
    const query = parseWatchQuery(call.query);
    if (query.isErr()) return err(query.error);
    const { warnBefore } = query.value;
    const historyLimit = shownHistoryLimit(call, query.value);
    const isAtEnd = from.value === END_ID;
    const begun = await begin(call, {
      ...(isAtEnd || from.value === undefined ? {} : { from: from.value }),
      ...(typeof warnBefore === 'number' ? { warnBefore } : {}),
      ...(historyLimit === undefined ? {} : { historyLimit }),
    });
    if (begun.isErr()) return err(begun.error);
    const { opened, first } = begun.value;
    if (isAtEnd || request.method === 'HEAD') {
      endWatch(opened);
      return ok(isAtEnd ? streamIsOver : { status: 200, headers: streamHeaders });
    }
    const snapshotFrame = (snapshot: SessionSnapshot) => snapshots.hold(form, tenant, snapshot);
    const events = new EventStream({ ...opened, heartbeatMs, snapshotFrame, report: handler.report, onOver }, first);
    const pieces = { [Symbol.asyncIterator]: () => events };
    return ok({ status: 200, headers: streamHeaders, stream: pieces, cutOff: events.cutOff });
  };

  const answer = async (call: Call<TenantEvents>): Answer => {
    if (!hasMethods(call.sessions, 'watch')) return lacksMethod(watch, 'watch');
    const { admit, release } = streams.reserve(call.tenant);
    if (!admit(1)) return err(refusal('too_many_streams'));
    let isStreaming = false;
    try {
      const answered = await stream(call, release);
      isStreaming = answered.isOk() && answered.value.stream !== undefined;
      return answered;
    } finally {
      if (!isStreaming) release();
    }
  };

  return [{ operation: watch, answer }];
};
