const TICK_MS = 10;

/**
 * Reports whether an operation takes longer than `ms`. A standstill of the process or the machine
 * counts as a few milliseconds.
 */
export const inTime = async <T>(
  ms: number,
  operation: () => PromiseLike<T> | T,
): Promise<{ readonly late: boolean; readonly value: T }> => {
  let passedMs = 0;
  const ticks = setInterval(() => {
    passedMs += TICK_MS;
  }, TICK_MS);
  try {
    const value = await operation();
    return { late: passedMs > ms, value };
  } finally {
    clearInterval(ticks);
  }
};
