/**
 * The heap of this process after all that is no longer needed has been collected; needs
 * `--expose-gc`.
 */
export const heapAfterCollection = async (): Promise<number> => {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('run this with --expose-gc');
  // What is freed by one turn of the event loop is collected in the next.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
  return process.memoryUsage().heapUsed;
};

/** The heap size after a number of steps. */
export interface HeapSample {
  readonly steps: number;
  readonly bytes: number;
}

/**
 * How many bytes the heap grows by with each step: the median of the slopes between all pairs
 * (Theil and Sen), which a single sample does not move in which something was not yet collected.
 */
export const growthOf = (samples: readonly HeapSample[]): number => {
  const slopes = samples.flatMap(({ steps, bytes }, at) =>
    samples.slice(at + 1).map((later) => (later.bytes - bytes) / (later.steps - steps)),
  );
  slopes.sort((a, b) => a - b);
  const middle = slopes.length / 2;
  const [low = 0, high = low] = slopes.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
};

/**
 * What keeps this process alive and did not when `before` was taken. One timer more or less is none
 * of it: a store has a single one for all its calls, which runs out by itself.
 */
export const leftSince = (before: readonly string[]): readonly string[] => {
  const known = [...before, 'Timeout'];
  return process.getActiveResourcesInfo().filter((resource) => {
    const at = known.indexOf(resource);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
};
