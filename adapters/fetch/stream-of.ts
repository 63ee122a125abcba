import type { WatchSignal } from '../../src/session/session-event.js';

/**
 * Reports a body that is neither read nor cancelled, for example because a middleware has replaced
 * the response. Some runtimes lack it.
 */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<() => void>((closed) => {
        closed();
      });

/** Whether `streamOf` always reports the end of a stream. */
export const detectsUnread = unread !== undefined;

/**
 * The parts as the body of a Fetch response. A part is requested when the client has taken the
 * previous one. Cancelling the stream ends the source; `cutOff` makes the stream fail. `closed` is
 * called after the last part, when the stream is cancelled, and when it is garbage collected; it
 * may be called more than once, and must not reference the stream.
 */
export const streamOf = (
  parts: AsyncIterable<Uint8Array>,
  closed: () => void,
  cutOff?: WatchSignal,
): ReadableStream<Uint8Array> => {
  const iterator = parts[Symbol.asyncIterator]();
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const fail = () => controller.error(new Error('the client read nothing for too long'));
      cutOff?.addEventListener('abort', fail);
    },
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { done, value } = await iterator.next();
      if (!done) {
        controller.enqueue(value);
        return;
      }
      controller.close();
      closed();
    },
    cancel: async () => {
      closed();
      await iterator.return?.();
    },
  };
  unread?.register(source, closed);
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
};

/** The bytes in parts, so that the sender notices when the client has taken them. */
export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
