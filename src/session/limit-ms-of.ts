/** Seconds as milliseconds; 0 as `Infinity`. A time above 0 is at least 1 ms. */
export const limitMsOf = (seconds: number): number =>
  seconds === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(seconds * 1000));

/** Milliseconds as seconds; `Infinity` as 0. */
export const secondsOf = (limitMs: number): number =>
  limitMs === Number.POSITIVE_INFINITY ? 0 : limitMs / 1000;
