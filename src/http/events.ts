import { err, ok, type Result } from 'neverthrow';
import { type InvalidInput, invalidInput, storeUnavailable } from '../errors.js';
import type { SessionSnapshot } from '../events/change.js';
import { isPosition } from '../events/event.js';
import { type Answer, type Call, decodeId, inClientTerms, type RouteOf } from './call.js';
import { type HandlerError, misconfigured } from './errors.js';
import { END_ID } from './event-frames.js';
import { eventStream, type Watching, type WatchingCall } from './event-stream.js';
import { leave } from './heartbeat.js';
import type { HandlerRequest, HandlerResponse } from './message.js';
import type { TenantEvents, TenantSessions } from './tenant-sessions.js';
import { late, within } from './within.js';

/** A host that writes JavaScript may have switched the events on over sessions that cannot be watched. */
const canBeWatched = (sessions: TenantSessions): sessions is TenantSessions & TenantEvents =>
  typeof Reflect.get(sessions, 'watch') === 'function';

/** In front of every position of every stream. */
const BEGINNING = '0';

/** `no-transform` and the last one keep compressors and proxies from holding events back. */
export const streamHeaders = Object.freeze({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
});

/** A browser that gets this does not come back. */
const nothingMore: HandlerResponse = Object.freeze({
  status: 204,
  headers: Object.freeze({ 'Cache-Control': 'no-store' }),
});

/** The id of the last event that a client that comes back has seen. */
const readLastEventId = (request: HandlerRequest): Result<string | undefined, InvalidInput> => {
  const given = request.header('last-event-id');
  if (given === undefined || given === '') return ok(undefined);
  if (given === END_ID || isPosition(given)) return ok(given);
  return err(invalidInput([{ path: 'Last-Event-ID', message: 'must be the id of an event of this stream' }]));
};

/** What the session is now; whether it can be watched shows before the answer begins. Holds nothing afterwards. */
const look = async (call: WatchingCall, id: string): Promise<Result<SessionSnapshot, HandlerError>> => {
  const { sessions, settings } = call;
  const gone = new AbortController();
  const changes = sessions.watch(id, { signal: gone.signal })[Symbol.asyncIterator]();
  try {
    const first = await within(settings.timeoutMs, changes.next());
    if (first === late) return err(storeUnavailable('the store took too long to answer', 'not_applied'));
    if (first.done) return err(storeUnavailable('the store told nothing', 'not_applied'));
    if (first.value.isErr()) return err(inClientTerms(first.value.error));
    const { value } = first.value;
    if (value.type === 'session.snapshot') return ok(value);
    return err(storeUnavailable('the store told an event in place of the session', 'not_applied'));
  } finally {
    gone.abort();
    leave(changes);
  }
};

/** Where a stream begins: with what the session is now, if that is given, and behind a position. */
type Beginning = Pick<Watching, 'snapshot' | 'from'>;

const open = async (
  call: Call<RouteOf<'events'>>,
  begin: (now: SessionSnapshot, lastEventId: string | undefined) => Beginning,
): Answer => {
  const { request, route, sessions } = call;
  if (!canBeWatched(sessions)) {
    return err(misconfigured([{ path: 'sessions', message: 'must have watch where events are on' }]));
  }
  const id = decodeId(route.encodedId);
  if (id.isErr()) return err(id.error);
  const lastEventId = readLastEventId(request);
  if (lastEventId.isErr()) return err(lastEventId.error);
  const watching: WatchingCall = { ...call, sessions };
  return (await look(watching, id.value)).map((now): HandlerResponse => {
    if (lastEventId.value === END_ID) return nothingMore;
    if (request.method === 'HEAD') return { status: 200, headers: streamHeaders };
    const stream = eventStream({ call: watching, id: id.value, ...begin(now, lastEventId.value) });
    return { status: 200, headers: streamHeaders, stream };
  });
};

/** The events of a session as Server-Sent Events (HTML Living Standard, 9.2), where the host has switched them on. */
export const events = (call: Call<RouteOf<'events'>>): Answer =>
  open(call, (now, lastEventId) => {
    // Of a session that has ended no event is to come: whatever the client has seen, it is told how the session is.
    const isFresh = lastEventId === undefined || now.session.status === 'TERMINATED';
    return { snapshot: isFresh ? now : undefined, from: lastEventId ?? now.position };
  });

/** The same from the first event on that the store has kept, also of a session that has ended. */
export const eventsFromTheBeginning = (call: Call<RouteOf<'events'>>): Answer =>
  open(call, (_now, lastEventId) => ({ snapshot: undefined, from: lastEventId ?? BEGINNING }));
