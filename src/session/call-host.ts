/** What a function of the host or of a store returns; undefined if it throws. */
export const callHost = <T>(call: () => T): T | undefined => {
  try {
    return call();
  } catch {
    return undefined;
  }
};

/** Calls a function of the host, and ignores its exceptions and rejections. */
export const tellHost = (call: () => unknown): void => {
  (async () => call())().catch(() => undefined);
};
