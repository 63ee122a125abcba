import { err, ok, type Result } from 'neverthrow';
import { watch } from '../operations/event-shapes.js';
import { storeUnavailable, type WatchError } from '../session/errors.js';
import type { SessionChange } from '../session/session-event.js';
import { inClientTerms } from './answer-of.js';
import { SnapshotFrames, streamHeaders } from './event-frame.js';
import { EventStream, endWatch } from './event-stream.js';
import { type HandlerError, refusal } from './handler-error.js';
import type { Answer, Call } from './route.js';
import { TenantBudget } from './tenant-budget.js';
import { timedOut, withTimeout } from './with-timeout.js';

type Change = Result<SessionChange, WatchError>;

/** What a stream sends. */
export interface Watched {
  /** Begins to watch. */
  readonly watch: (options: { readonly signal: AbortSignal; readonly onOpen: () => void }) => AsyncIterable<Change>;
  /** The error if the session that is watched does not exist. Without it, no single session is watched. */
  readonly absent?: HandlerError;
  /** Whether only the status and the headers of the stream are asked for. */
  readonly isBare: boolean;
}

const tooSlow = storeUnavailable('the store took too long to answer', 'not_applied');

/** The error if the watch cannot begin; undefined if it can. */
const refusalOf = (
  begun: 'open' | typeof timedOut | IteratorResult<Change, unknown>,
  absent: HandlerError | undefined,
): HandlerError | undefined => {
  if (begun === 'open') return undefined;
  if (begun === timedOut) return tooSlow;
  if (begun.done === true) return absent ?? tooSlow;
  if (begun.value.isErr()) return inClientTerms(watch, begun.value.error);
  return begun.value.value.type === 'session.deleted' ? absent : undefined;
};

/** Limits of the streams that are open together. */
export interface StreamLimits {
  readonly heartbeatMs: number;
  readonly maxStreams: number;
  readonly maxStreamsPerTenant: number;
}

/**
 * Answers with streams of Server-Sent Events. An error is known before the response starts, and leaves nothing open.
 */
export const eventStreams = ({ heartbeatMs, maxStreams, maxStreamsPerTenant }: StreamLimits) => {
  const streams = new TenantBudget(maxStreams, maxStreamsPerTenant);
  const snapshots = new SnapshotFrames();

  const open = async (call: Call<unknown>, { absent, isBare, ...watched }: Watched, onOver: () => void): Answer => {
    const { handler, form, tenant } = call;
    const gone = new AbortController();
    let onOpen = (): void => undefined;
    const opening = new Promise<'open'>((resolve) => {
      onOpen = () => resolve('open');
    });
    const changes = watched.watch({ signal: gone.signal, onOpen })[Symbol.asyncIterator]();
    const first = changes.next();
    const refused = refusalOf(await withTimeout(handler.timeoutMs, Promise.race([opening, first])), absent);
    if (refused !== undefined || isBare) {
      endWatch({ changes, gone });
      first.catch(() => undefined);
      return refused === undefined ? ok({ status: 200, headers: streamHeaders }) : err(refused);
    }
    const events = new EventStream(
      {
        changes,
        gone,
        heartbeatMs,
        snapshotFrame: (snapshot) => snapshots.hold(form, tenant, snapshot),
        report: handler.report,
        onOver,
      },
      first,
    );
    const stream = { [Symbol.asyncIterator]: () => events };
    return ok({ status: 200, headers: streamHeaders, stream, cutOff: events.cutOff });
  };

  return async (call: Call<unknown>, watched: Watched): Answer => {
    const { admit, release } = streams.reserve(call.tenant);
    if (!admit(1)) return err(refusal('too_many_streams'));
    let isStreaming = false;
    try {
      const answered = await open(call, watched, release);
      isStreaming = answered.isOk() && answered.value.stream !== undefined;
      return answered;
    } finally {
      if (!isStreaming) release();
    }
  };
};
