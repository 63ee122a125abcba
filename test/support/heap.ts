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

/** How many bytes the heap grows by with each step: the slope of the line that fits best. */
export const growthOf = (samples: readonly HeapSample[]): number => {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const steps = mean(samples.map((sample) => sample.steps));
  const bytes = mean(samples.map((sample) => sample.bytes));
  const products = samples.map((sample) => (sample.steps - steps) * (sample.bytes - bytes));
  return mean(products) / mean(samples.map((sample) => (sample.steps - steps) ** 2));
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
