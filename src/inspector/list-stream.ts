import { err, ok, type Result } from 'neverthrow';
import { inClientTerms } from '../http/answer-of.js';
import { streamHeaders } from '../http/event-frame.js';
import { EventStream, endWatch } from '../http/event-stream.js';
import { refusal } from '../http/handler-error.js';
import type { Answer, Call } from '../http/index.js';
import { TenantBudget } from '../http/tenant-budget.js';
import { timedOut, withTimeout } from '../http/with-timeout.js';
import { hasMethods } from '../input/parse-fields.js';
import { watch } from '../operations/event-shapes.js';
import { storeUnavailable, type WatchError } from '../session/errors.js';
import type { SessionEvent, TenantChange, WatchAllOptions } from '../session/session-event.js';

const HEARTBEAT_MS = 15_000;

/** Open pages in all, and of one tenant. A page beyond them reads its list every few seconds. */
const MAX_STREAMS = 1000;
const MAX_STREAMS_PER_TENANT = 100;

interface TenantWatch {
  watchAll(options: WatchAllOptions): AsyncIterable<Result<TenantChange, WatchError>>;
}

/** A host may serve sessions of its own making, which need no such method: the page then reads its list every few seconds. */
const canWatchAll = (sessions: unknown): sessions is TenantWatch => hasMethods(sessions, 'watchAll');

/** Appends and leases change nothing that a row shows. */
const inNoRow: readonly string[] = ['events_lost', 'session.appended', 'session.leased', 'session.released'];

const isInRow = (change: TenantChange): change is SessionEvent => !inNoRow.includes(change.type);

/** The events that change a list. */
async function* listEvents(changes: AsyncIterable<Result<TenantChange, WatchError>>) {
  for await (const change of changes) {
    if (change.isErr()) yield err<SessionEvent, WatchError>(change.error);
    else if (isInRow(change.value)) yield ok<SessionEvent, WatchError>(change.value);
  }
}

const open = async ({ handler, request, sessions }: Call<TenantWatch>, onOver: () => void): Answer => {
  const gone = new AbortController();
  let onOpen = (): void => undefined;
  const opening = new Promise<'open'>((resolve) => {
    onOpen = () => resolve('open');
  });
  const changes = listEvents(sessions.watchAll({ signal: gone.signal, onOpen }));
  const first = changes.next();
  const begun = await withTimeout(handler.timeoutMs, Promise.race([opening, first]));
  const hasBegun = begun === 'open' || (begun !== timedOut && begun.done !== true && begun.value.isOk());
  if (hasBegun && request.method !== 'HEAD') {
    const snapshotFrame = () => undefined;
    const watching = { changes, gone, heartbeatMs: HEARTBEAT_MS, snapshotFrame, report: handler.report, onOver };
    const events = new EventStream(watching, first);
    return ok({
      status: 200,
      headers: streamHeaders,
      stream: { [Symbol.asyncIterator]: () => events },
      cutOff: events.cutOff,
    });
  }
  endWatch({ changes, gone });
  first.catch(() => undefined);
  if (hasBegun) return ok({ status: 200, headers: streamHeaders });
  if (begun === timedOut || begun.done === true || begun.value.isOk()) {
    return err(storeUnavailable('the store took too long to answer', 'not_applied'));
  }
  return err(inClientTerms(watch, begun.value.error));
};

/** Answers with a stream of the events after which a list of the tenant's sessions may differ. */
export const listStream = (): ((call: Call<unknown>) => Answer) => {
  const streams = new TenantBudget(MAX_STREAMS, MAX_STREAMS_PER_TENANT);
  return async (call) => {
    const { method } = call.request;
    if (method !== 'GET' && method !== 'HEAD') return err({ ...refusal('method_not_allowed'), allow: 'GET, HEAD' });
    const { sessions } = call;
    if (!canWatchAll(sessions)) return err(refusal('route_not_found'));
    const { admit, release } = streams.reserve(call.tenant);
    if (!admit(1)) return err(refusal('too_many_streams'));
    let isStreaming = false;
    try {
      const answered = await open({ ...call, sessions }, release);
      isStreaming = answered.isOk() && answered.value.stream !== undefined;
      return answered;
    } finally {
      if (!isStreaming) release();
    }
  };
};
