import type { WatchSignal } from '../../src/events/event.js';

/**
 * Where nobody reads or cancels a body, as with an answer that a middleware has replaced, the garbage collector is the
 * only one who knows that it is over. Some runtimes lack this class; they are told nothing.
 */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<() => void>((closed) => {
        closed();
      });

/** Whether `streamOf` always tells of the end. */
export const tellsOfUnread = unread !== undefined;

/**
 * Parts as the body of a Fetch response: each is asked for when the client has taken the last, and none before it is
 * read. To cancel it ends what makes them; what is cut off is an error to whoever sends it. `closed`, which must not hold
 * the stream, is called when the last has been taken, when it is cancelled, and when nobody can read it any more; it may be
 * called more than once.
 */
export const streamOf = (
  parts: AsyncIterable<Uint8Array>,
  closed: () => void,
  cutOff?: WatchSignal,
): ReadableStream<Uint8Array> => {
  const iterator = parts[Symbol.asyncIterator]();
  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const fail = () => controller.error(new Error('the client has taken nothing for too long'));
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

/** Bytes one part after another, so that who sends them can tell when they have been taken. */
export async function* inParts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
