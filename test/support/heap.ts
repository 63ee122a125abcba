/** Heap size in bytes after garbage collection; needs `--expose-gc`. */
export const heapAfterCollection = async (): Promise<number> => {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('run this with --expose-gc');
  // Objects released in one turn of the event loop are collected in the next.
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
 * Bytes by which the heap grows with each step: the median slope between all pairs (Theil and Sen),
 * so that a single sample before a collection does not matter.
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
 * Resources that keep this process alive and did not when `before` was taken. Ignores one timer: a
 * store uses a single one for all its calls, which expires by itself.
 */
export const leftSince = (before: readonly string[]): readonly string[] => {
  const known = [...before, 'Timeout'];
  return process.getActiveResourcesInfo().filter((resource) => {
    const at = known.indexOf(resource);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
};
