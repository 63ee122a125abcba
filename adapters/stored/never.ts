/**
 * Stands for `Infinity` where a store keeps times: it compares like any other time, and no time
 * reaches it.
 */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** A time as a store keeps it. */
export const finite = (ms: number): number => Math.min(ms, NEVER);

/** The time that a store keeps. */
export const infinite = (ms: number): number => (ms >= NEVER ? Number.POSITIVE_INFINITY : ms);
