import { err, ok, type Result } from 'neverthrow';
import { given } from '../endpoints/endpoint.js';
import { END_ID, servedWatch } from '../endpoints/event-shapes.js';
import type { TenantEvents } from '../endpoints/tenant-sessions.js';
import type { SessionForm } from '../endpoints/wire-session.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema } from '../schema/schema.js';
import { number, whole } from '../schema/values.js';
import { type InvalidInput, invalidInput } from '../session/errors.js';
import type { SessionChange } from '../session/session-event.js';
import type { EndReason } from '../session/session-status.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { changeFrame } from './event-frame.js';
import { encoder, type Frame } from './event-stream.js';
import { eventStreams, mapped } from './event-streams.js';
import { numberIn, queryParser } from './input-reader.js';
import { requiringMethod } from './requiring-method.js';
import type { Answer, Call, RouteGroup } from './route.js';
import type { HandlerRequest, HandlerResponse } from './session-handler.js';
import { shownHistoryLimit } from './session-routes.js';
import { checkPerTenant, perTenantOf } from './tenant-quota.js';

/**
 * Options of `eventRoutes`.
 *
 * @example
 * ```ts
 * const routes = eventRoutes({ heartbeatMs: 10_000, maxStreams: 5000, maxStreamsPerTenant: 500 });
 * ```
 */
export interface EventRoutesOptions {
  /**
   * Milliseconds without an event before a heartbeat is sent, 1,000 to 300,000. Default: 15,000.
   */
  readonly heartbeatMs?: number | undefined;
  /** Maximum number of open streams, from 1; above it, the response is 503. Default: 10,000. */
  readonly maxStreams?: number | undefined;
  /**
   * Maximum number of open streams per tenant, 1 to `maxStreams`. Default: 1,000, or `maxStreams`
   * if that is less.
   */
  readonly maxStreamsPerTenant?: number | undefined;
}

const MIN_HEARTBEAT_MS = 1000;
const MAX_HEARTBEAT_MS = 300_000;
const read = optionsOf(
  'eventRoutes',
  {
    heartbeatMs: optional(number(MIN_HEARTBEAT_MS, MAX_HEARTBEAT_MS), 15_000),
    maxStreams: optional(whole(1), 10_000),
    maxStreamsPerTenant: optional(whole(1)),
  } satisfies Readonly<Record<keyof EventRoutesOptions, Schema<unknown>>>,
  (issues, { maxStreams, maxStreamsPerTenant }) =>
    checkPerTenant(issues, 'maxStreams', maxStreams, maxStreamsPerTenant),
);

/** A browser does not reconnect after a 204. */
const streamIsOver: HandlerResponse = Object.freeze({
  status: 204,
  headers: Object.freeze({ 'Cache-Control': 'no-store' }),
});

const parseLastEventId = (request: HandlerRequest): Result<string | undefined, InvalidInput> => {
  const last = request.header('last-event-id') || undefined;
  if (last === undefined || last === END_ID || parseWatchCursor(last)) return ok(last);
  return err(
    invalidInput([{ path: 'Last-Event-ID', message: 'must be the id of an event of this stream' }]),
  );
};

const endReasonOf = (change: SessionChange): EndReason | undefined =>
  'session' in change ? change.session.endReason : undefined;

/**
 * Serialises each change once for all streams: streams of a session share the change objects.
 */
const sharedFrames = (): ((form: SessionForm, change: SessionChange) => Frame) => {
  const frames = new WeakMap<SessionForm, WeakMap<SessionChange, Frame>>();
  return (form, change) => {
    const written = frames.get(form) ?? new WeakMap<SessionChange, Frame>();
    frames.set(form, written);
    const known = written.get(change);
    if (known !== undefined) return known;
    const bytes = encoder.encode(changeFrame(form, change));
    const frame = { bytes, endReason: endReasonOf(change) };
    written.set(change, frame);
    return frame;
  };
};

const parseWatchQuery = queryParser(servedWatch);

/**
 * Serves the events of a session as Server-Sent Events (HTML Living Standard, 9.2) at `GET
 * /session/{session_id}/events`. The store must have events. Throws a `TypeError` that names every
 * invalid or unknown option.
 *
 * @example
 * ```ts
 * const authenticate = staticApiKeys([{ key: 'key-1', tenant: 'acme' }]);
 * const handler = createSessionHandler({ sessions, authenticate, routes: [eventRoutes()] });
 * const headers = { 'X-API-KEY': 'key-1' };
 * const stream = new Request(`https://api.example/session/${id}/events`, { headers });
 * const { body } = await fetchHandler(handler)(stream);
 * await body?.cancel();
 * ```
 */
export const eventRoutes = (options: EventRoutesOptions = {}): RouteGroup<TenantEvents> => {
  const limits = read(options);
  const stream = eventStreams({
    ...limits,
    maxStreamsPerTenant: perTenantOf(limits.maxStreams, limits.maxStreamsPerTenant),
  });
  const frameOf = sharedFrames();
  const answer = async (call: Call<TenantEvents>): Answer => {
    const { request, sessions, id } = call;
    const last = parseLastEventId(request);
    if (last.isErr()) return err(last.error);
    const query = parseWatchQuery(call);
    if (query.isErr()) return err(query.error);
    const isAtEnd = last.value === END_ID;
    const options = given({
      cursor: isAtEnd ? undefined : last.value,
      warnBefore: numberIn(query.value, 'warnBefore'),
      warnAt: numberIn(query.value, 'warnAt'),
      historyLimit: shownHistoryLimit(call, query.value),
      leases: call.form.leases,
    });
    const answered = await stream(call, {
      watch: (more) =>
        mapped(sessions.watch(id, { ...options, ...more }), (change) => frameOf(call.form, change)),
      isBare: isAtEnd || request.method === 'HEAD',
    });
    if (isAtEnd) return answered.map(() => streamIsOver);
    return answered;
  };

  return [{ operation: servedWatch, answer: requiringMethod('watch', answer) }];
};
