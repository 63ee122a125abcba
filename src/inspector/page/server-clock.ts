/** Milliseconds by which the server's clock is ahead of this machine's, which may be wrong. */
let offset = 0;

/**
 * Reads the server's time from a response. `Date` has only seconds, so smaller differences are
 * ignored.
 */
export const readServerClock = (headers: Headers): void => {
  const difference = Date.parse(headers.get('date') ?? '') - Date.now();
  if (Math.abs(difference - offset) > 1500) offset = difference;
};

/** The server's time in milliseconds since the epoch. */
export const serverNow = (): number => Date.now() + offset;
