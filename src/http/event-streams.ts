import { err, ok, type Result } from 'neverthrow';
import { servedWatch } from '../endpoints/event-shapes.js';
import { storeUnavailable } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { timedOut, withTimeout } from '../session/with-timeout.js';
import { inClientTerms } from './answer-of.js';
import { streamHeaders } from './event-frame.js';
import { EventStream, endWatch, type Frame } from './event-stream.js';
import { type HandlerError, refusal } from './handler-error.js';
import type { Answer, Call } from './route.js';
import { TenantQuota } from './tenant-quota.js';

type Change = Result<Frame, OperationErrors['watch']>;

export interface Watched {
  readonly watch: (options: {
    readonly signal: AbortSignal;
    readonly onOpen: () => void;
  }) => AsyncIterator<Change>;
  /** Whether only the status and the headers were requested. */
  readonly isBare: boolean;
}

/** The frames of a watch. Not a generator, whose `return` would wait for a pending `next`. */
export const mapped = <T>(
  changes: AsyncIterable<Result<T, OperationErrors['watch']>>,
  frameOf: (change: T) => Frame,
): AsyncIterator<Change> => {
  const iterator = changes[Symbol.asyncIterator]();
  return {
    next: async () => {
      const next = await iterator.next();
      if (next.done === true) return next;
      return { done: false, value: next.value.map(frameOf) };
    },
    return: async () => {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
};

const tooSlow = storeUnavailable('the store took too long to answer', 'not_applied');

const refusalOf = (
  begun: 'open' | typeof timedOut | IteratorResult<Change, unknown>,
): HandlerError | undefined => {
  if (begun === 'open') return undefined;
  if (begun === timedOut || begun.done === true) return tooSlow;
  return begun.value.isErr() ? inClientTerms(servedWatch, begun.value.error) : undefined;
};

const begin = async (watch: Watched['watch'], timeoutMs: number) => {
  const gone = new AbortController();
  let onOpen = (): void => undefined;
  const opening = new Promise<'open'>((resolve) => {
    onOpen = () => resolve('open');
  });
  const changes = watch({ signal: gone.signal, onOpen });
  const first = changes.next();
  const begun = await withTimeout(timeoutMs, Promise.race([opening, first]));
  return { opened: { changes, gone }, first, refused: refusalOf(begun) };
};

/** Maximum bytes of the events that all streams send in pieces, unless a single one has more. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Limits of the streams that are open together. */
export interface StreamLimits {
  readonly heartbeatMs: number;
  readonly maxStreams: number;
  readonly maxStreamsPerTenant: number;
}

const head = { status: 200, headers: streamHeaders };

const responseOf = (events: EventStream) => {
  const stream = { [Symbol.asyncIterator]: () => events };
  return { ...head, stream, cutOff: events.cutOff };
};

/**
 * Answers with streams of Server-Sent Events. An error is known before the response starts, and
 * leaves nothing open.
 */
export const eventStreams = ({ heartbeatMs, maxStreams, maxStreamsPerTenant }: StreamLimits) => {
  const streams = new TenantQuota(maxStreams, maxStreamsPerTenant);
  const pieces = new TenantQuota(MAX_HELD_BYTES, MAX_HELD_BYTES);
  const open = async (
    { handler: { timeoutMs, report, streams: openStreams }, tenant }: Call<unknown>,
    { isBare, watch }: Watched,
    onOver: () => void,
  ): Answer => {
    const { opened, first, refused } = await begin(watch, timeoutMs);
    if (refused !== undefined || isBare) {
      endWatch(opened);
      first.catch(() => undefined);
      return refused === undefined ? ok(head) : err(refused);
    }
    const reserve = () => pieces.reserve(tenant);
    const end = () => void events.return();
    const over = () => {
      openStreams.remove(end);
      onOver();
    };
    const watching = { ...opened, heartbeatMs, reserve, report, onOver: over };
    const events: EventStream = new EventStream(watching, first);
    openStreams.add(end);
    return ok(responseOf(events));
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
