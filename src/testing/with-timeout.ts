/**
 * Waits for a value for at most `timeoutMs` milliseconds, then rejects with an error that names
 * `what`.
 */
export const withTimeout = async <T>(
  what: string,
  timeoutMs: number,
  value: T | PromiseLike<T>,
): Promise<Awaited<T>> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} has not answered within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([value, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
