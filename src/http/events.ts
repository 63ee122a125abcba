import { err, ok, type Result } from 'neverthrow';
import type { WatchError } from '../errors.js';
import { type InvalidInput, invalidInput, notFound, storeUnavailable } from '../errors.js';
import type { SessionChange } from '../events/event.js';
import { isPosition } from '../events/position.js';
import { WARNING_SECONDS } from '../limits.js';
import { wireNames } from '../wire.js';
import { type Answer, type Call, decodeId, inClientTerms, type RouteOf } from './call.js';
import { type HandlerError, misconfigured } from './errors.js';
import { END_ID } from './event-frames.js';
import { EventStream } from './event-stream.js';
import { leave } from './heartbeat.js';
import type { HandlerRequest, HandlerResponse } from './message.js';
import type { TenantEvents, TenantSessions } from './tenant-sessions.js';
import { late, within } from './within.js';

/** A host that writes JavaScript may have switched the events on over sessions that cannot be watched. */
const canBeWatched = (sessions: TenantSessions): sessions is TenantSessions & TenantEvents =>
  typeof Reflect.get(sessions, 'watch') === 'function';

/** In front of every position: a session's events are looked for from its creation on. */
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

const wholeSeconds = /^[1-9]\d{0,4}$/;

/** How long before its end by the clock a session is told to end soon, in seconds. */
const readWarnBefore = ({ url }: HandlerRequest): Result<number | undefined, InvalidInput> => {
  const mark = url.indexOf('?');
  const [text, ...more] = new URLSearchParams(mark < 0 ? '' : url.slice(mark)).getAll(wireNames.warnBefore);
  if (text === undefined) return ok(undefined);
  if (more.length === 0 && wholeSeconds.test(text) && Number(text) <= WARNING_SECONDS) return ok(Number(text));
  const message = `must be given once, as a whole number of seconds from 1 to ${WARNING_SECONDS}`;
  return err(invalidInput([{ path: wireNames.warnBefore, message }]));
};

type Changes = AsyncIterator<Result<SessionChange, WatchError>, unknown>;

/** A watch that has begun. */
interface Begun {
  readonly changes: Changes;
  readonly gone: AbortController;
}

/** An iterator whose first item was asked for already. */
const behind = (first: ReturnType<Changes['next']>, rest: Changes): Changes => {
  let asked: ReturnType<Changes['next']> | undefined = first;
  return {
    next: () => {
      const next = asked ?? rest.next();
      asked = undefined;
      return next;
    },
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
};

/** Why a session cannot be watched; nothing where it can. */
const refusalOf = (
  begun: 'open' | typeof late | Awaited<ReturnType<Changes['next']>>,
  id: string,
): HandlerError | undefined => {
  if (begun === 'open') return undefined;
  if (begun === late) return storeUnavailable('the store took too long to answer', 'not_applied');
  if (begun.done === true) return notFound(id);
  if (begun.value.isErr()) return inClientTerms(begun.value.error);
  return begun.value.value.type === 'session.deleted' ? notFound(id) : undefined;
};

/** Begins to watch. Whether that can be done shows before the answer begins; if not, nothing is held afterwards. */
const begin = async (
  { settings }: Call,
  sessions: TenantEvents,
  id: string,
  { from, warnBefore }: { readonly from: string | undefined; readonly warnBefore: number | undefined },
): Promise<Result<Begun, HandlerError>> => {
  const gone = new AbortController();
  let onOpen = (): void => undefined;
  const opened = new Promise<'open'>((resolve) => {
    onOpen = () => resolve('open');
  });
  const options = {
    signal: gone.signal,
    onOpen,
    ...(from === undefined ? {} : { from }),
    ...(warnBefore === undefined ? {} : { warnBefore }),
  };
  const changes = sessions.watch(id, options)[Symbol.asyncIterator]();
  const first = changes.next();
  const refusal = refusalOf(await within(settings.timeoutMs, Promise.race([opened, first])), id);
  if (refusal === undefined) return ok({ gone, changes: behind(first, changes) });
  end({ gone, changes });
  first.catch(() => undefined);
  return err(refusal);
};

const end = ({ gone, changes }: Begun): void => {
  gone.abort();
  leave(changes);
};

const answer = async (
  call: Call<RouteOf<'events'>, TenantSessions & TenantEvents>,
  beginning: string | undefined,
  onOver: () => void,
): Answer => {
  const { request, route, sessions } = call;
  const id = decodeId(route.encodedId);
  if (id.isErr()) return err(id.error);
  const lastEventId = readLastEventId(request);
  if (lastEventId.isErr()) return err(lastEventId.error);
  const warnBefore = readWarnBefore(request);
  if (warnBefore.isErr()) return err(warnBefore.error);
  const isAtEnd = lastEventId.value === END_ID;
  const from = isAtEnd ? undefined : (lastEventId.value ?? beginning);
  const begun = await begin(call, sessions, id.value, { from, warnBefore: warnBefore.value });
  return begun.map((watching): HandlerResponse => {
    if (isAtEnd || request.method === 'HEAD') {
      end(watching);
      return isAtEnd ? nothingMore : { status: 200, headers: streamHeaders };
    }
    const stream = new EventStream({ ...watching, call, onOver });
    return {
      status: 200,
      headers: streamHeaders,
      stream: { [Symbol.asyncIterator]: () => stream },
      cutOff: stream.cutOff,
    };
  });
};

const open = async (call: Call<RouteOf<'events'>>, beginning?: string): Answer => {
  const { sessions, settings, tenant } = call;
  if (!canBeWatched(sessions)) {
    return err(misconfigured([{ path: 'sessions', message: 'must have watch where events are on' }]));
  }
  const onOver = settings.streams.open(tenant);
  if (onOver === undefined) return err({ type: 'too_many_streams' });
  let isStreaming = false;
  try {
    const answered = await answer({ ...call, sessions }, beginning, onOver);
    isStreaming = answered.isOk() && answered.value.stream !== undefined;
    return answered;
  } finally {
    if (!isStreaming) onOver();
  }
};

/** The events of a session as Server-Sent Events (HTML Living Standard, 9.2), where the host has switched them on. */
export const events = (call: Call<RouteOf<'events'>>): Answer => open(call);

/** The same from the first event on that can be found, also of a session that has ended. */
export const eventsFromTheBeginning = (call: Call<RouteOf<'events'>>): Answer => open(call, BEGINNING);
