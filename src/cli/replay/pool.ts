/** Works on items as they come, at most `width` at a time; an item is taken only when somebody is free for it. */
export const inParallel = async <T>(
  items: AsyncIterable<T> | Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    const done: Promise<void> = work(item).finally(() => running.delete(done));
    running.add(done);
    if (running.size >= width) await Promise.race(running);
  }
  await Promise.all(running);
};
