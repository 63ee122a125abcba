/**
 * Pieces as the body of a Fetch response: each is asked for when the client has taken the last, and none before it is
 * read. To cancel it ends what makes them; what is cut off is an error to whoever sends it.
 */
export const streamOf = (pieces: AsyncIterable<Uint8Array>, cutOff?: AbortSignal): ReadableStream<Uint8Array> => {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const fail = () => controller.error(new Error('the client has taken nothing for too long'));
        cutOff?.addEventListener('abort', fail, { once: true });
      },
      pull: async (controller) => {
        const next = await iterator.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
};
